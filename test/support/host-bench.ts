import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFailed, onTestFinished } from 'vitest';
import type { MethodInput, MethodName, MethodOutput } from '../../src/shared/contract/contract.ts';
import type { RoomSettingsInput } from '../../src/shared/contract/room.ts';
import { roomSettingsSchema } from '../../src/shared/contract/room.ts';
import type { EscalationView, EventView, LiveView, TaskDetail } from '../../src/shared/contract/views.ts';
import type { Clock } from '../../src/shared/kernel/clock.ts';
import type { Failure, Result } from '../../src/shared/kernel/result.ts';
import type { Answer } from '../../src/shared/vocabulary/words.ts';
import { openHost } from '../../src/main/app/host.ts';
import type { Host } from '../../src/main/app/host.ts';
import { startMessagesServer } from '../fakes/messages-server/server.ts';
import type { MessagesServer } from '../fakes/messages-server/server.ts';
import type { ScriptedServerOptions } from '../fakes/scripted-server.ts';
import type { GitProject } from './git-project.ts';
import { scriptRoles } from './scripted-roles.ts';
import type { RoleCall, RoleScripts, ScriptedRoles } from './scripted-roles.ts';
import { temporaryFolder } from './temporary-folder.ts';

export interface BenchOptions {
  readonly roles: RoleScripts | ((call: RoleCall) => RoleScripts);
  readonly clock?: Clock;
  /** Variables beside PATH, HOME and those that lead to the fake server; undefined takes one away. */
  readonly environment?: NodeJS.ProcessEnv;
  readonly server?: ScriptedServerOptions;
  /** The host's config.json, as text or as what it holds. */
  readonly config?: unknown;
  /** Scripts whose steps need not all be used, nor be enough. */
  readonly loose?: boolean;
}

/** A host on a data directory of its own, with scripted models behind a real Messages API on loopback. */
export class HostBench {
  public readonly home: string;
  public readonly server: MessagesServer;
  public readonly roles: ScriptedRoles;
  public readonly events: EventView[] = [];
  public readonly live: LiveView[] = [];
  readonly #options: BenchOptions;
  readonly #listeners = new Set<() => void>();
  #host: Host | null = null;

  private constructor(home: string, server: MessagesServer, roles: ScriptedRoles, options: BenchOptions) {
    this.home = home;
    this.server = server;
    this.roles = roles;
    this.#options = options;
  }

  /** Everything of the bench is gone after the test, and nothing may have been asked of a model that it could not answer. */
  public static async open(options: BenchOptions): Promise<HostBench> {
    const bench = await HostBench.prepare(options);
    await bench.start();
    return bench;
  }

  /** The same without its host: a test opens that with `start` or `opening`. */
  public static async prepare(options: BenchOptions): Promise<HostBench> {
    const home = join(temporaryFolder('home'), 'data');
    mkdirSync(home);
    if (options.config !== undefined) {
      const text = typeof options.config === 'string' ? options.config : JSON.stringify(options.config);
      writeFileSync(join(home, 'config.json'), text);
    }
    const roles = scriptRoles(options.roles);
    const server = await startMessagesServer(roles.script, options.server);
    const bench = new HostBench(home, server, roles, options);
    onTestFinished(async () => {
      await bench.stop();
      await server.close();
      if (options.loose === true) return;
      expect(roles.problems).toEqual([]);
      expect(server.refusals.filter(({ status }) => status === 400)).toEqual([]);
    });
    onTestFailed(() => {
      console.error(bench.story());
    });
    return bench;
  }

  /** Opens the host of the data directory. */
  public opening(): Promise<Result<Host>> {
    const { environment, clock } = this.#options;
    return openHost({
      dataDirectory: this.home,
      environment: {
        PATH: process.env['PATH'],
        HOME: join(this.home, '..'),
        GIT_CONFIG_NOSYSTEM: '1',
        ANTHROPIC_API_KEY: 'scripted',
        ANTHROPIC_BASE_URL: this.server.url,
        ...environment,
      },
      ...(clock === undefined ? {} : { clock }),
    });
  }

  public async start(): Promise<void> {
    this.#host = valueOf(await this.opening());
    const last = this.events.at(-1)?.seq ?? 0;
    this.#host.service.follow(
      { after: last },
      (item) => {
        if ('event' in item) this.events.push(item.event);
        else this.live.push(item.live);
        for (const tell of this.#listeners) tell();
      },
      () => undefined,
    );
  }

  /** Ends the host in good order; nothing of it may be left behind. */
  public async stop(): Promise<void> {
    const host = this.#host;
    this.#host = null;
    if (host !== null) expect(await host.close()).toEqual([]);
  }

  public get host(): Host {
    if (this.#host === null) throw new Error('The host is not open.');
    return this.#host;
  }

  /** Asks the host something that must succeed. */
  public async ask<N extends MethodName>(name: N, input: MethodInput<N>): Promise<MethodOutput<N>> {
    return valueOf(await this.host.service.call(name, input));
  }

  /** Asks the host something that must be refused. */
  public async refused<N extends MethodName>(name: N, input: MethodInput<N>): Promise<Failure> {
    return failureOf(await this.host.service.call(name, input));
  }

  /** Makes a room for a project. */
  public async room(
    project: GitProject,
    settings: Partial<RoomSettingsInput> = {},
  ): Promise<MethodOutput<'rooms.create'>> {
    return this.ask('rooms.create', settingsFor(project, settings));
  }

  /** Says something in a room; gives the task that it started or went to. */
  public async send(room: string, text: string, source?: string): Promise<string> {
    const sent = await this.ask('messages.send', { room, text, ...(source === undefined ? {} : { source }) });
    return sent.task;
  }

  public show(task: string): Promise<TaskDetail> {
    return this.ask('tasks.show', { task });
  }

  /** The next event after `seq` that is wanted, whether it has come or is to come. */
  public until(wanted: (event: EventView) => boolean, after = 0): Promise<EventView> {
    return new Promise((resolve) => {
      const look = (): void => {
        const found = this.events.find((event) => event.seq > after && wanted(event));
        if (found === undefined) return;
        this.#listeners.delete(look);
        resolve(found);
      };
      this.#listeners.add(look);
      look();
    });
  }

  /** Waits until the task, after `seq`, has ended or waits for a person, and shows it. */
  public async settled(task: string, after = 0): Promise<TaskDetail> {
    await this.until(
      (event) =>
        event.task === task && (event.type === 'task.completed' || event.type === 'escalation.asked'),
      after,
    );
    return this.show(task);
  }

  /** A message in a room, followed to where the task ends or waits for a person. */
  public async work(room: string, text: string): Promise<TaskDetail> {
    const after = this.lastSeq;
    return this.settled(await this.send(room, text), after);
  }

  /** Answers what a task waits for, and follows it on. */
  public async answer(detail: TaskDetail, answer: Answer, text = ''): Promise<TaskDetail> {
    const after = this.lastSeq;
    await this.give(questionOf(detail), answer, text);
    return this.settled(detail.task.id, after);
  }

  /** Answers a question. */
  public async give({ id, shown }: EscalationView, answer: Answer, text = ''): Promise<void> {
    await this.ask('escalations.answer', {
      escalation: id,
      answer,
      text,
      criteria: [],
      dropped: [],
      shown,
    });
  }

  public get lastSeq(): number {
    return this.events.at(-1)?.seq ?? 0;
  }

  public eventsOf(type: string): readonly EventView[] {
    return this.events.filter((event) => event.type === type);
  }

  /** The rules that decided a task, in order. */
  public rulesOf(task: string): readonly unknown[] {
    return this.eventsOf('task.decided')
      .filter((event) => event.task === task)
      .map(({ data }) => data['rule']);
  }

  /** The turns of a task as `role purpose`, in the order in which they began. */
  public turnsOf(task: string): readonly string[] {
    return this.eventsOf('turn.started')
      .filter((event) => event.task === task)
      .map(({ data }) => `${String(data['role'])} ${String(data['purpose'])}`);
  }

  /** The log as text, for a test that failed. */
  public story(): string {
    return this.events.map(({ seq, type, data }) => `${seq} ${type} ${JSON.stringify(data)}`).join('\n');
  }
}

/** Settings of a room for a project; every role answers through the scripted models. */
export function settingsFor(
  project: GitProject,
  settings: Partial<RoomSettingsInput> = {},
): MethodInput<'rooms.create'> {
  return roomSettingsSchema.parse({ name: 'shop', directory: project.directory, ...settings });
}

/** The question that a task must have open. */
export function questionOf({ escalation, task }: TaskDetail): EscalationView {
  if (escalation === null) throw new Error(`${task.id} asks nothing: it is ${task.ending ?? task.state}.`);
  return escalation;
}

/** The value of a result that must be one. */
export function valueOf<T>(result: Result<T>): T {
  if (result.ok) return result.value;
  const { tag, message, next = '' } = result.failure;
  throw new Error(`${tag}: ${message} ${next}`);
}

/** The failure of a result that must be one. */
export function failureOf(result: Result<unknown>): Failure {
  if (result.ok) throw new Error(`This was to fail, but gave ${JSON.stringify(result.value)}.`);
  return result.failure;
}
