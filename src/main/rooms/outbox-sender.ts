import { describeFailure } from '../../shared/kernel/result.ts';
import { MAX_RETRIES, retryDelayMs } from '../domain/schedule/retry.ts';
import type { OutboxEntry } from '../store/outbox.ts';
import type { Parts } from './parts.ts';

/** Sends what waits in the outbox, one after another, when something was put there and when a retry is due. */
export class OutboxSender {
  readonly #parts: Pick<Parts, 'store' | 'clock' | 'channels' | 'steps'>;
  #sending: Promise<void> | null = null;
  #again = false;
  #stopped = false;
  #cancelTimer: () => void = () => undefined;
  readonly #stopListening: () => void;

  public constructor(parts: Pick<Parts, 'store' | 'clock' | 'channels' | 'steps'>) {
    this.#parts = parts;
    // Whatever is said comes with an event of the same commit.
    this.#stopListening = parts.store.events.onAppended(() => {
      this.look();
    });
  }

  public look(): void {
    if (this.#stopped) return;
    if (this.#sending !== null) {
      this.#again = true;
      return;
    }
    this.#sending = this.#sendDue().finally(() => {
      this.#sending = null;
      if (this.#again) {
        this.#again = false;
        this.look();
      }
    });
  }

  /** Lets what is on its way finish. */
  public async stop(): Promise<void> {
    this.#stopped = true;
    this.#stopListening();
    this.#cancelTimer();
    await this.#sending;
  }

  async #sendDue(): Promise<void> {
    const { store, clock } = this.#parts;
    for (const entry of store.outbox.due(clock.now())) await this.#send(entry);
    this.#cancelTimer();
    const next = store.outbox.nextRunAt();
    if (next !== null && next > clock.now() && !this.#stopped) {
      this.#cancelTimer = clock.after(next - clock.now(), () => {
        this.look();
      });
    }
  }

  async #send(entry: OutboxEntry): Promise<void> {
    const { store, channels, steps, clock } = this.#parts;
    const message = store.messages.byId(entry.messageId);
    const [kind = ''] = entry.channel.split(':');
    const channel = channels.get(kind);
    const sent =
      channel === undefined || message === null
        ? null
        : await steps.later('outbox.sent', () => channel.send(entry.id, entry.channel, message.payload.text));
    const { roomId = null, taskId = null } = message ?? {};
    steps.now('outbox.recorded', () => {
      store.transaction(() => {
        if (sent?.ok === true) {
          store.outbox.sent(entry.id);
          const data = {
            message: entry.messageId,
            channel: entry.channel,
            text: message?.payload.text ?? '',
          };
          store.events.append({ type: 'message.sent', roomId, taskId, data });
          return;
        }
        const reason = sent === null ? `There is no channel "${kind}".` : describeFailure(sent.failure);
        const final = sent === null || sent.failure.forGood || entry.attempt >= MAX_RETRIES;
        store.outbox.failed(entry.id, reason, final ? null : clock.now() + retryDelayMs(entry.attempt));
        const data = { message: entry.messageId, channel: entry.channel, reason, final };
        store.events.append({ type: 'message.failed', roomId, taskId, data });
      });
    });
  }
}
