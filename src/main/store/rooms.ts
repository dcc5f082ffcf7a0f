import { asc, eq, sql } from 'drizzle-orm';
import type { RoomSettings } from '../../shared/contract/room.ts';
import { err, ok } from '../../shared/kernel/result.ts';
import type { Failure, Result } from '../../shared/kernel/result.ts';
import type { RoomId } from '../../shared/vocabulary/ids.ts';
import type { Query } from './connection.ts';
import { rooms } from './schema/rooms.ts';
import type { StoreContext } from './store-context.ts';

export type Room = typeof rooms.$inferSelect;

export interface RoomNameTaken extends Failure {
  readonly tag: 'room_name_taken';
}

export class Rooms {
  readonly #context: StoreContext;
  readonly #insert;
  readonly #all: Query<Room>;
  readonly #byId: Query<Room>;
  readonly #byName: Query<Room>;

  public constructor(context: StoreContext) {
    const { connection } = context;
    this.#context = context;
    this.#insert = connection.insertion(rooms);
    this.#all = connection.query((db) => db.select().from(rooms).orderBy(asc(rooms.name)));
    this.#byId = connection.query((db) =>
      db
        .select()
        .from(rooms)
        .where(eq(rooms.id, sql.placeholder('id'))),
    );
    this.#byName = connection.query((db) =>
      db
        .select()
        .from(rooms)
        .where(eq(rooms.name, sql.placeholder('name'))),
    );
  }

  /** Makes a room. A name is given once, also among archived rooms. */
  public create(settings: RoomSettings): Result<Room, RoomNameTaken> {
    return this.#context.connection.transaction(() => {
      if (this.byName(settings.name) !== null) return err(nameTaken(settings.name));
      const room: Room = {
        id: this.#context.newId('room'),
        name: settings.name,
        settings,
        createdAt: this.#context.clock.now(),
        archivedAt: null,
      };
      this.#insert(room);
      return ok(room);
    });
  }

  public byId(id: RoomId): Room | null {
    return this.#byId.get({ id }) ?? null;
  }

  public byName(name: string): Room | null {
    return this.#byName.get({ name }) ?? null;
  }

  /** The room that a person means: its name, else its id. */
  public find(nameOrId: string): Room | null {
    return this.byName(nameOrId) ?? this.#byId.get({ id: nameOrId }) ?? null;
  }

  /** By name; without the archived ones where nothing else is asked. */
  public list(which: 'active' | 'all' = 'active'): Room[] {
    const all = this.#all.all();
    return which === 'all' ? all : all.filter((room) => room.archivedAt === null);
  }

  /** Gives a room other settings; its next task goes by them. */
  public update(id: RoomId, settings: RoomSettings): Result<void, RoomNameTaken> {
    return this.#context.connection.transaction(() => {
      const namesake = this.byName(settings.name);
      if (namesake !== null && namesake.id !== id) return err(nameTaken(settings.name));
      this.#context.connection.builder
        .update(rooms)
        .set({ name: settings.name, settings })
        .where(eq(rooms.id, id))
        .run();
      return ok(undefined);
    });
  }

  /** Puts a room away; nothing of it is deleted. */
  public archive(id: RoomId): void {
    this.#setArchived(id, this.#context.clock.now());
  }

  public restore(id: RoomId): void {
    this.#setArchived(id, null);
  }

  #setArchived(id: RoomId, archivedAt: number | null): void {
    this.#context.connection.transaction(() => {
      this.#context.connection.builder.update(rooms).set({ archivedAt }).where(eq(rooms.id, id)).run();
    });
  }
}

function nameTaken(name: string): RoomNameTaken {
  return {
    tag: 'room_name_taken',
    message: `There is a room named "${name}" already.`,
    next: 'Choose another name. Archived rooms keep theirs.',
  };
}
