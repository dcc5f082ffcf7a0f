import type { Result } from '../kernel/result.ts';
import type { FollowInput, FollowItem, MethodInput, MethodName, MethodOutput } from './contract.ts';

/** A host, wherever it runs: in this process, or at the other end of a socket. */
export interface Service {
  call<N extends MethodName>(name: N, input: MethodInput<N>): Promise<Result<MethodOutput<N>>>;
  /**
   * Gives every event after `input.after` (from now on, where it is left out), in order and without gaps, then
   * each new one as it happens; live items come between. The returned function ends it.
   */
  follow(input: FollowInput, onItem: (item: FollowItem) => void, onEnd: (reason: string) => void): () => void;
}
