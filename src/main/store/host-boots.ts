import { desc, eq, isNull } from 'drizzle-orm';
import type { Connection } from './connection.ts';
import { hostBoots } from './schema/hosts.ts';

export type HostBoot = typeof hostBoots.$inferSelect;

/** The starts of hosts on this database, and which of them did not end in good order. */
export class HostBoots {
  readonly #connection: Connection;

  public constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** The newest boot that never ended; null where the last host closed in good order, or none has been. */
  public unfinished(): HostBoot | null {
    return this.#connection.guarded(
      () =>
        this.#connection.builder
          .select()
          .from(hostBoots)
          .where(isNull(hostBoots.endedAt))
          .orderBy(desc(hostBoots.startedAt))
          .limit(1)
          .get() ?? null,
    );
  }

  /** Writes this boot down. Boots before it that never ended are taken as ended now. */
  public begin(id: string, pid: number, now: number): void {
    this.#connection.transaction(() => {
      const { builder } = this.#connection;
      builder.update(hostBoots).set({ endedAt: now }).where(isNull(hostBoots.endedAt)).run();
      builder.insert(hostBoots).values({ id, pid, startedAt: now, endedAt: null }).run();
    });
  }

  public end(id: string, now: number): void {
    this.#connection.transaction(() => {
      this.#connection.builder.update(hostBoots).set({ endedAt: now }).where(eq(hostBoots.id, id)).run();
    });
  }
}
