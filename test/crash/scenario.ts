import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describeFailure } from '../../src/shared/kernel/result.ts';
import type { Service } from '../../src/shared/contract/service.ts';
import type { MethodInput, MethodName, MethodOutput } from '../../src/shared/contract/contract.ts';
import type { TaskView } from '../../src/shared/contract/views.ts';
import { longCommand, requests, words } from './script.ts';

const ROOM = 'workshop';

/** The file that the last task's owner waits for. */
export function goFileFor(project: string): string {
  return join(dirname(project), 'go');
}

/**
 * Does what a person would do next, told from what the host says alone, until all is finished. A person whose host
 * died does the same again: whatever was accepted already is accepted once.
 */
export async function goOn(service: Service, project: string): Promise<void> {
  const person = new Person(service, project);
  while (!(await person.goOn())) await person.somethingHappened();
  person.leave();
}

class Person {
  readonly #service: Service;
  readonly #project: string;
  readonly #said = new Map<string, string>();
  /** Commands that owners have begun, by task. */
  readonly #begun: { readonly task: string | null; readonly command: string }[] = [];
  /** Tasks whose worktrees are gone. */
  readonly #cleared = new Set<string | null>();
  readonly #unfollow: () => void;
  #news = false;
  #tell: () => void = () => undefined;

  public constructor(service: Service, project: string) {
    this.#service = service;
    this.#project = project;
    this.#unfollow = service.follow(
      { after: 0 },
      (item) => {
        if (!('event' in item)) return;
        const { type, task, data } = item.event;
        if (type === 'tool.started') this.#begun.push({ task, command: String(data['summary']) });
        if (type === 'place.removed') this.#cleared.add(task);
        this.#news = true;
        this.#tell();
      },
      (reason) => {
        throw new Error(`The events ended: ${reason}`);
      },
    );
  }

  public leave(): void {
    this.#unfollow();
  }

  public async somethingHappened(): Promise<void> {
    if (!this.#news) {
      await new Promise<void>((resolve) => {
        this.#tell = resolve;
      });
    }
    this.#news = false;
  }

  /** Whether all is finished. */
  public async goOn(): Promise<boolean> {
    await this.#openRoom();
    return (
      (await this.#settledTask()) &&
      (await this.#stoppedTask()) &&
      (await this.#supersededTask()) &&
      (await this.#lastTask()) &&
      (await this.#allCleared())
    );
  }

  async #openRoom(): Promise<void> {
    const rooms = await this.#ask('rooms.list', {});
    if (rooms.length > 0) return;
    await this.#ask('rooms.create', {
      name: ROOM,
      directory: this.#project,
      mode: 'tribunal',
      roles: {},
      setup: 'mkdir -p deps && echo ready > deps/ready',
      dependencies: ['deps'],
      criteria: [],
      budget: { usd: 10, tokens: 5_000_000, minutes: 120, rounds: 12 },
      fallbacks: {},
      permissions: 'everything',
      sealedOwner: false,
      prompts: null,
      memory: null,
    });
  }

  /** Sent back, reset by the arbiter, escalated and answered, approved, finished, applied. */
  async #settledTask(): Promise<boolean> {
    const task = await this.#send('settled', requests.settled);
    const [escalation] = await this.#ask('escalations.list', {});
    if (escalation !== undefined) {
      await this.#ask('escalations.answer', {
        escalation: escalation.id,
        answer: 'send_back',
        text: words.answer,
        criteria: [],
        dropped: [],
        shown: escalation.shown,
      });
    }
    return this.#applied(task);
  }

  async #stoppedTask(): Promise<boolean> {
    const task = await this.#send('stopped', requests.stopped);
    if (task.state === 'completed') return true;
    if (!this.#hasBegun(task, longCommand)) return false;
    await this.#ask('tasks.stop', { task: task.id });
    return true;
  }

  async #supersededTask(): Promise<boolean> {
    const task = await this.#send('superseded', requests.superseded);
    return task.state === 'completed' || (task.state === 'merge_ready' && this.#hasBegun(task, longCommand));
  }

  async #lastTask(): Promise<boolean> {
    const task = await this.#send('last', requests.last);
    const goFile = goFileFor(this.#project);
    if (this.#hasBegun(task, goFile)) {
      await this.#send('follow-up', words.followUp);
      writeFileSync(goFile, '');
    }
    return this.#applied(task);
  }

  /** Nothing of the ended tasks is left in the person's repository. */
  async #allCleared(): Promise<boolean> {
    const tasks = await this.#ask('tasks.list', { limit: 50 });
    return tasks.every(({ id }) => this.#cleared.has(id));
  }

  async #applied(task: TaskView): Promise<boolean> {
    if (task.state !== 'completed') return false;
    if (task.appliedAt === null) await this.#ask('tasks.apply', { task: task.id });
    return true;
  }

  #hasBegun({ id }: TaskView, command: string): boolean {
    return this.#begun.some((begun) => begun.task === id && begun.command.includes(command));
  }

  /** Sends a message, once in this life, and gives the task that it belongs to as it is now. */
  async #send(source: string, text: string): Promise<TaskView> {
    if (!this.#said.has(source)) {
      const sent = await this.#ask('messages.send', { room: ROOM, text, source });
      this.#said.set(source, sent.task);
    }
    const tasks = await this.#ask('tasks.list', { limit: 50 });
    const task = tasks.find(({ id }) => id === this.#said.get(source));
    if (task === undefined) throw new Error(`"${text}" was accepted, and its task is not there.`);
    return task;
  }

  async #ask<N extends MethodName>(name: N, input: MethodInput<N>): Promise<MethodOutput<N>> {
    const answer = await this.#service.call(name, input);
    if (!answer.ok) throw new Error(`${name}: ${describeFailure(answer.failure)}`);
    return answer.value;
  }
}
