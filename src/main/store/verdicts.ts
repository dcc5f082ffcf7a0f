import { asc, eq, sql } from 'drizzle-orm';
import type { AttemptId, TurnId, VerdictId } from '../../shared/vocabulary/ids.ts';
import type { Report } from '../domain/tribunal/event.ts';
import type { Reading } from '../domain/verdict/reading.ts';
import type { Query } from './connection.ts';
import { verdicts } from './schema/turns.ts';
import type { StoreContext } from './store-context.ts';

export type StoredVerdict = typeof verdicts.$inferSelect;

/** How turns ended, readable or not. */
export class Verdicts {
  readonly #context: StoreContext;
  readonly #insert;
  readonly #ofTurn: Query<StoredVerdict>;

  public constructor(context: StoreContext) {
    const { connection } = context;
    this.#context = context;
    this.#insert = connection.insertion(verdicts);
    this.#ofTurn = connection.query((db) =>
      db
        .select()
        .from(verdicts)
        .where(eq(verdicts.turnId, sql.placeholder('turnId')))
        .orderBy(asc(verdicts.id)),
    );
  }

  public record(said: {
    readonly turnId: TurnId;
    readonly attemptId: AttemptId | null;
    readonly reading: Reading;
    readonly report: Report;
    readonly text: string;
  }): VerdictId {
    const { turnId, attemptId, reading, report, text } = said;
    const id = this.#context.newId('verdict');
    const read = reading.kind === 'verdict';
    this.#insert({
      id,
      turnId,
      attemptId,
      verdict: read ? reading.verdict : null,
      via: read ? reading.via : null,
      reason: read ? null : reading.reason,
      text,
      report,
      at: this.#context.clock.now(),
    });
    return id;
  }

  /** Oldest first; a turn that was asked again or tried again has more than one. */
  public ofTurn(turnId: TurnId): StoredVerdict[] {
    return this.#ofTurn.all({ turnId });
  }
}

/** What could be read from a stored verdict. */
export function readingFrom(row: StoredVerdict): Reading {
  return row.verdict === null || row.via === null
    ? { kind: 'none', reason: row.reason ?? '' }
    : { kind: 'verdict', verdict: row.verdict, via: row.via };
}
