import type Docker from 'dockerode';
import type { ContainerCreateOptions } from 'dockerode';
import type { Clock } from '../../shared/kernel/clock.ts';
import { messageOf } from '../../shared/kernel/result.ts';
import type { CliFailure } from '../ports/coding-cli.ts';
import type { ProbeFindings } from '../ports/seals.ts';
import { deviations } from './deviations.ts';
import { outputOfExec } from './exec.ts';
import { inside } from './inside.ts';
import type { MarkedExec, MarkedOptions } from './marked-exec.ts';
import { startMarkedExec } from './marked-exec.ts';
import type { ContainerPlan } from './profile.ts';
import type { Resident } from './resident.ts';
import { lost, statusOf } from './seal-failures.ts';
import { testerUser } from './users.ts';
import { pause, within } from './within.ts';

/** How long ending processes may take inside before the container itself is ended, in milliseconds. */
const END_LIMIT_MS = 1_000;
/** Processes that were just killed take a moment to be gone: how often, and after how many milliseconds, to look again. */
const LOOKS = 5;
const LOOK_MS = 30;

const endCommands = 'kill -9 -1';
/** Nothing of its user runs any more, so nothing of it works against this. */
const clearCommands = [
  endCommands,
  `chmod -R u+rwX ${inside.work}`,
  `find ${inside.work} -mindepth 1 -delete`,
  'find /tmp /dev/shm /dev/mqueue -mindepth 1 -user "$(id -u)" -delete',
].join('\n');

/** A container that was made, and what is known of it. */
export interface RoomContainerParts {
  readonly container: Docker.Container;
  readonly plan: ContainerPlan;
  readonly spec: ContainerCreateOptions;
  readonly resident: Resident;
  readonly findings: ProbeFindings;
  readonly clock: Clock;
}

/** A container that was tried and found sealed. Whoever made it removes it. */
export class RoomContainer {
  public readonly plan: ContainerPlan;
  public readonly resident: Resident;
  public readonly findings: ProbeFindings;
  readonly #container: Docker.Container;
  readonly #spec: ContainerCreateOptions;
  readonly #clock: Clock;
  #ended = false;

  public constructor(parts: RoomContainerParts) {
    this.plan = parts.plan;
    this.resident = parts.resident;
    this.findings = parts.findings;
    this.#container = parts.container;
    this.#spec = parts.spec;
    this.#clock = parts.clock;
    // Without it the agent has no way to the gate, and nobody to end what it started.
    void this.resident.gone.then(async () => {
      // What cannot be ended here is told where the container is removed after the turn.
      if (!this.#ended) await this.end().catch(() => undefined);
    });
  }

  /** Whether it was ended: nothing more can be done in it. */
  public get hasEnded(): boolean {
    return this.#ended || this.resident.isGone;
  }

  /** Whether it is still there, and still what was asked for. */
  public async isIntact(): Promise<boolean> {
    if (this.hasEnded) return false;
    try {
      return deviations(this.#spec, await this.#container.inspect()).length === 0;
    } catch (thrown) {
      if (statusOf(thrown) === 404) return false;
      throw thrown;
    }
  }

  /** Why a program's streams have closed without a word: null where the container is still there. */
  public async whatWasLost(): Promise<CliFailure | null> {
    try {
      const { State } = await this.#container.inspect();
      if (this.#ended) return lost('it was ended');
      if (State.Running) return null;
      return lost(State.OOMKilled ? 'it had used up its memory' : 'it has stopped');
    } catch (thrown) {
      if (statusOf(thrown) === 404) return lost('it was removed');
      return lost(`the container engine does not answer (${messageOf(thrown).trim()})`);
    }
  }

  /** Starts a program in it. Throws what the engine answers. */
  public start(options: MarkedOptions): Promise<MarkedExec> {
    return startMarkedExec(this.#container, options);
  }

  /** Ends every process of the agent's user; the container with them, where nothing else ends them in time. */
  public async endAgent(): Promise<void> {
    const ended = this.resident.endProcesses().then((answer) => {
      if (!answer.ok) throw new Error(answer.failure.message);
    });
    await this.#orEnd(ended);
  }

  /** Ends every process of the commands' user, in the same way. */
  public async endCommands(): Promise<void> {
    await this.#orEnd(this.#asTester(endCommands));
  }

  /** Ends them, and removes all that they have left in memory. */
  public async clearCommands(): Promise<void> {
    // What is killed first cannot keep the rest from being removed, however much that is.
    await this.endCommands();
    if (!this.#ended) await this.#asTester(clearCommands).catch(() => this.end());
  }

  /** Ends the container with all that runs in it. */
  public async end(): Promise<void> {
    this.#ended = true;
    try {
      await this.#container.kill();
    } catch (thrown) {
      // Not there, or not running: that is what was wanted. An engine that is away has ended it with itself.
      if (statusOf(thrown) === null) return;
      if (statusOf(thrown) !== 404 && statusOf(thrown) !== 409) throw thrown;
    }
  }

  /** Throws what the engine answers, but for a container that is gone already. */
  public async remove(): Promise<void> {
    this.#ended = true;
    this.resident.drop();
    await removeContainer(this.#container);
  }

  async #orEnd(ended: Promise<void>): Promise<void> {
    const done = ended.then(
      () => true,
      () => false,
    );
    if (!(await within(this.#clock, END_LIMIT_MS, done)) || !(await done)) await this.end();
  }

  /** Whoever is killed here could kill first, or outlive it: so the resident, whom it cannot reach, says what is left. */
  async #asTester(script: string): Promise<void> {
    const tester = testerUser(this.plan.agent);
    await outputOfExec(this.#container, tester, ['/bin/sh', '-c', script]);
    for (let look = 1; ; look += 1) {
      const left = await this.resident.countProcesses(tester);
      if (left.ok && left.value === 0) return;
      if (!left.ok || look === LOOKS) throw new Error('Processes of commands are left.');
      await pause(this.#clock, LOOK_MS);
    }
  }
}

/** Removes a container in any state. One that is gone already, or being removed, is no error. */
export async function removeContainer(container: Docker.Container): Promise<void> {
  try {
    await container.remove({ force: true, v: true });
  } catch (thrown) {
    const underWay = statusOf(thrown) === 409 && /already in progress/.test(String(thrown));
    if (statusOf(thrown) !== 404 && !underWay) throw thrown;
  }
}
