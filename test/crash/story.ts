import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { Sandbox } from './sandbox.ts';

type Row = Readonly<Record<string, unknown>>;

/**
 * All that came of a scenario, without what may differ from run to run: ids, times, and how many tries a turn took.
 * Snapshots are named by their content, so the story of a host that died is the same to the last byte of every
 * round's work, or something was lost or doubled.
 */
export interface Story {
  readonly tasks: readonly Row[];
  readonly turns: readonly Row[];
  readonly messages: readonly Row[];
  readonly escalations: readonly Row[];
  readonly criteria: readonly Row[];
  readonly findings: readonly Row[];
  readonly snapshots: readonly Row[];
  readonly inbox: readonly Row[];
  /** How often each thing is in the log that happens once. */
  readonly log: readonly Row[];
  readonly checkout: Readonly<Record<string, string>>;
  readonly checkoutStatus: string;
}

/** What must not be left when all is finished: each is empty, or the test fails with it. */
export interface Remains {
  readonly damage: readonly unknown[];
  readonly openJobs: readonly Row[];
  readonly liveTurns: readonly Row[];
  readonly openAttempts: readonly Row[];
  readonly intendedEffects: readonly Row[];
  readonly unsentMessages: readonly Row[];
  readonly messagesWithoutTask: readonly Row[];
  readonly messagesInNoTurn: readonly Row[];
  readonly openBoots: readonly Row[];
  readonly processes: readonly string[];
  /** What the model's API would have refused. */
  readonly refusals: readonly unknown[];
}

/** What the log says once for each thing that happened, however often the host died. */
const happensOnce = [
  'room.created',
  'message.accepted',
  'task.started',
  'verdict.read',
  'turn.ended',
  'task.findings',
  'escalation.asked',
  'escalation.closed',
  'message.sent',
  'content.kept',
  'place.removed',
  'task.completed',
  'task.applied',
];

export function readStory({ dataDirectory, project }: Sandbox): Story {
  return withDatabase(dataDirectory, (all) => ({
    tasks: all(`
      select title, origin, state, ending, base, content, approved, waiting, rounds, arbitrations, criteria_fixed,
        ruling, person_base, applied_at is not null as applied,
        (select title from tasks as earlier where earlier.id = tasks.ancestor_id) as ancestor
      from tasks order by id`),
    turns: all(`
      select title, number, role, purpose, status, ask, session, workspace,
        (select group_concat(json_extract(payload, '$.text'), ' | ') from json_each(turns.messages)
          join messages on messages.id = value) as given,
        (select group_concat(coalesce(verdict, 'none'), ' | ') from verdicts where turn_id = turns.id) as verdicts
      from turns join tasks on tasks.id = turns.task_id order by turns.task_id, number`),
    messages: all(`
      select title, role, agent_id, type, status, json_extract(payload, '$.text') as text,
        (select count(*) from outbox where message_id = messages.id and outbox.state = 'sent') as sent
      from messages left join tasks on tasks.id = task_id order by messages.id`),
    escalations: all(`
      select title, number, kind, text, escalations.state, answer, answer_text, snapshot
      from escalations join tasks on tasks.id = task_id order by escalations.id`),
    criteria: all(`
      select title, criteria.id, text, source, judgement
      from criteria join tasks on tasks.id = task_id order by task_id, position`),
    findings: all(`
      select title, findings.id, text, judgement
      from findings join tasks on tasks.id = task_id order by task_id, position`),
    snapshots: all(`
      select title, kind, snapshots.id from snapshots join tasks on tasks.id = task_id order by seq`),
    inbox: all(`
      select source_id, json_extract(payload, '$.text') as text
      from inbox join messages on messages.id = message_id order by source_id`),
    log: all(`
      select type, count(*) as times from events
      where type in (${happensOnce.map((type) => `'${type}'`).join(', ')}) group by type order by type`),
    checkout: filesIn(project),
    checkoutStatus: execFileSync('git', ['status', '--porcelain', '--ignored', '--branch'], {
      cwd: project,
      encoding: 'utf8',
    }),
  }));
}

export function readRemains(sandbox: Sandbox): Remains {
  return withDatabase(sandbox.dataDirectory, (all) => ({
    damage: [
      ...all('pragma integrity_check').filter((row) => row['integrity_check'] !== 'ok'),
      ...all('pragma foreign_key_check'),
    ],
    openJobs: all(`select kind, state, last_error from jobs where state not in ('done', 'cancelled')`),
    liveTurns: all(`select * from turns where status = 'live'`),
    openAttempts: all('select * from attempts where ended_at is null'),
    intendedEffects: all(`select * from effects where state = 'intended'`),
    unsentMessages: all(`
      select payload, status from messages
      where role <> 'human'
        and (status <> 'delivered' or (select count(*) from outbox where message_id = messages.id) <> 1)`),
    messagesWithoutTask: all('select payload from messages where task_id is null'),
    messagesInNoTurn: all(`
      select payload from messages where role = 'human' and not exists (
        select 1 from turns, json_each(turns.messages) where turns.task_id = messages.task_id and value = messages.id)`),
    openBoots: all('select * from host_boots where ended_at is null'),
    processes: sandbox.processes(),
    refusals: sandbox.model.refusals,
  }));
}

export const nothingRemains: Remains = {
  damage: [],
  openJobs: [],
  liveTurns: [],
  openAttempts: [],
  intendedEffects: [],
  unsentMessages: [],
  messagesWithoutTask: [],
  messagesInNoTurn: [],
  openBoots: [],
  processes: [],
  refusals: [],
};

function withDatabase<T>(dataDirectory: string, read: (all: (query: string) => Row[]) => T): T {
  const database = new Database(join(dataDirectory, 'tribune.db'), { readonly: true });
  try {
    return read((query) => database.prepare<[], Row>(query).all());
  } finally {
    database.close();
  }
}

function filesIn(project: string): Record<string, string> {
  const names = readdirSync(project, { withFileTypes: true }).filter((entry) => entry.isFile());
  return Object.fromEntries(names.map(({ name }) => [name, readFileSync(join(project, name), 'utf8')]));
}
