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

  /** Makes a room. A name is given once. */
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

  /** All rooms, by name. */
  public list(): Room[] {
    return this.#all.all();
  }

  /** Gives a room other settings, by which its next task goes. A room that is not there is a bug and throws. */
  public update(id: RoomId, settings: RoomSettings): Result<Room, RoomNameTaken> {
    return this.#context.connection.transaction(() => {
      const namesake = this.byName(settings.name);
      if (namesake !== null && namesake.id !== id) return err(nameTaken(settings.name));
      const [room] = this.#context.connection.builder
        .update(rooms)
        .set({ name: settings.name, settings })
        .where(eq(rooms.id, id))
        .returning()
        .all();
      if (room === undefined) throw new Error(`There is no room ${id} to update.`);
      return ok(room);
    });
  }
}

function nameTaken(name: string): RoomNameTaken {
  return {
    tag: 'room_name_taken',
    message: `There is a room named "${name}" already.`,
    next: 'Choose another name.',
  };
}
