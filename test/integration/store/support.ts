import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { roomSettingsSchema } from '../../../src/shared/contract/room.ts';
import type { RoomSettings } from '../../../src/shared/contract/room.ts';
import type { Clock } from '../../../src/shared/kernel/clock.ts';
import type { RoomId, TaskId } from '../../../src/shared/vocabulary/ids.ts';
import type { LiveTurn, Question, Task } from '../../../src/main/domain/tribunal/task.ts';
import { ulidsBy } from '../../../src/main/store/new-id.ts';
import { openStore } from '../../../src/main/store/open-store.ts';
import type { Store } from '../../../src/main/store/store.ts';

/** 2026-01-01 UTC: where the tests' clock starts. */
export const START = Date.UTC(2026, 0, 1);

/** A clock that only the test turns. */
export class HandClock implements Clock {
  #now = START;

  public now(): number {
    return this.#now;
  }

  public advance(ms: number): void {
    this.#now += ms;
  }

  public after(): () => void {
    throw new Error('The store sets no timers.');
  }
}

/** A directory that is gone when the test has ended. */
export function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'tribune-store-'));
  onTestFinished(() => {
    rmSync(directory, { recursive: true, force: true });
  });
  return directory;
}

let boots = 0;

/** Opens a store that is closed when the test has ended. */
export function openedStore(directory: string, clock: Clock = new HandClock()): Store {
  boots += 1;
  const opened = openStore({ directory, clock, newId: ulidsBy(clock), bootId: `boot-${boots}` });
  if (!opened.ok) throw new Error(opened.failure.message);
  const store = opened.value;
  onTestFinished(() => {
    store.close();
  });
  return store;
}

export function roomSettings(name: string): RoomSettings {
  return roomSettingsSchema.parse({ name, directory: `/projects/${name}` });
}

export function newRoom(store: Store, name = 'lab'): RoomId {
  const created = store.rooms.create(roomSettings(name));
  if (!created.ok) throw new Error(created.failure.message);
  return created.value.id;
}

export const ownersTurn: LiveTurn = {
  number: 1,
  role: 'owner',
  purpose: 'work',
  phase: 'due',
  attempt: 1,
  ask: null,
  session: 'continue',
  workspace: 'keep',
  messages: [],
  wrappingUp: null,
};

export const question: Question = {
  number: 1,
  kind: 'blocked',
  text: 'The owner needs the schema.',
  answers: ['send_back', 'stop'],
  snapshot: null,
  limit: null,
  back: { state: 'active', turn: ownersTurn },
};

/** An open task at its owner's first turn. */
export function newTask(id: TaskId, roomId: RoomId): Task {
  return {
    id,
    roomId,
    origin: 'message',
    request: 'Make the test pass.',
    terms: {
      mode: 'tribunal',
      hasArbiter: true,
      direct: false,
      budget: { usd: 10, tokens: 5_000_000, minutes: 120, rounds: 12 },
    },
    state: 'active',
    ending: null,
    turn: ownersTurn,
    nextTurn: 2,
    waiting: [],
    base: null,
    content: null,
    reviewed: null,
    approved: null,
    criteria: [],
    criteriaFixed: false,
    findings: [],
    ruling: null,
    arbitrationAfter: null,
    asked: [],
    counters: { rounds: 0, roundsWithoutProgress: 0, retries: 0, arbitrations: 0, changedFinishes: 0 },
    spent: { usd: 0, tokens: 0, minutes: 0 },
    budgets: 1,
    question: null,
    nextQuestion: 1,
  };
}

/** A task that is done, with this as its approved content. */
export function doneTask(id: TaskId, roomId: RoomId, approved: Task['approved']): Task {
  return { ...newTask(id, roomId), state: 'completed', ending: 'reviewed', turn: null, approved };
}
