import type { Failure, Result } from '../../shared/kernel/result.ts';
import type { OutboxId } from '../../shared/vocabulary/ids.ts';

/** An address where messages come in and go out, such as `local:<room>` or `discord:<id>`. */
export type ChannelAddress = `${string}:${string}`;

/** One kind of channel, named by the part of the address before the colon. */
export interface Channel {
  readonly kind: string;
  /** Sends a message. The outbox id is the key that the other side dedupes by, so sending twice is seen once. */
  send(id: OutboxId, address: ChannelAddress, text: string): Promise<Result<void, ChannelFailure>>;
}

export interface ChannelFailure extends Failure {
  readonly tag: 'unknown_address' | 'refused' | 'unavailable';
  /** Trying again cannot help. */
  readonly forGood: boolean;
}
