import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import type Docker from 'dockerode';
import { z } from 'zod';
import type { Clock } from '../../shared/kernel/clock.ts';
import { err, messageOf, ok } from '../../shared/kernel/result.ts';
import type { Result } from '../../shared/kernel/result.ts';
import { ifThere, systemErrorCode } from '../../shared/kernel/system-error.ts';
import type { RoomId } from '../../shared/vocabulary/ids.ts';
import type { CliFailure } from '../ports/coding-cli.ts';
import type { SealedPlace, SealRequest, Seals } from '../ports/seals.ts';
import { connectDocker } from './docker-connection.ts';
import { engineFacts, runtimesOf } from './engine-facts.ts';
import { giveWorktree } from './give-worktree.ts';
import { inside } from './inside.ts';
import { labels, removeLeftoversOf } from './leftovers.ts';
import { makeContainer, mountsFor } from './make-container.ts';
import { mountWithEngineSocket } from './profile.ts';
import type { ContainerBounds, Mounted } from './profile.ts';
import type { RoomContainer } from './room-container.ts';
import { RoomSlot } from './room-slot.ts';
import { SealedCli } from './sealed-cli.ts';
import { Commands } from './sealed-commands.ts';
import {
  containerFailure,
  engineSocketMounted,
  imageMissing,
  runtimeMissing,
  statusOf,
  stopped,
} from './seal-failures.ts';
import type { InsideUser } from './users.ts';
import { agentUser, ownUser } from './users.ts';

/** What seals are made with. */
export interface SealsOptions {
  readonly clock: Clock;
  /** Names the container engine; see docker-connection.ts. */
  readonly environment: NodeJS.ProcessEnv;
  /** The image's name. */
  readonly image: string;
  /** A runtime of the engine other than its own choice, such as gVisor's `runsc`. */
  readonly runtime?: string | undefined;
  /** Random and kept in the data directory from the first container on: those of another install are never touched. */
  readonly installId: () => string;
  readonly bootId: string;
  /** The data directory: a worktree in it is ours, and may be given to the agent's user. */
  readonly dataDirectory: string;
  /** The directory of the gate's socket, `gate.sock`. */
  readonly gateDirectory: string;
  /** The product's folder `resources/reviewer`. */
  readonly resources: string;
  /** Who the agent's program is inside; by default, this process's own user where that is not root. */
  readonly agent?: InsideUser;
  readonly bounds: ContainerBounds;
  /** How long a room's container waits for the next turn, in milliseconds. */
  readonly idleMs: number;
  /** Told of what could not be cleaned up, with what to do about it. */
  onNotice(text: string): void;
}

/** Seals agents in containers of Docker, or of an engine that speaks its API. */
export function createSeals(options: SealsOptions): Seals {
  return new DockerSeals(options);
}

interface SealImage {
  readonly id: string;
  readonly title: string;
}

class DockerSeals implements Seals {
  readonly #options: SealsOptions;
  readonly #agent: InsideUser;
  readonly #slots = new Map<RoomId, RoomSlot>();
  #closed = false;

  public constructor(options: SealsOptions) {
    this.#options = options;
    this.#agent = options.agent ?? agentUser(ownUser());
  }

  public check(): Promise<Result<string, CliFailure>> {
    return this.#withEngine('The container engine could not be asked', async (docker) => {
      const [{ name }, image] = await Promise.all([engineFacts(docker), this.#findImage(docker)]);
      return image.ok ? ok(`${name}, image ${image.value.title}`) : image;
    });
  }

  public open(request: SealRequest, signal: AbortSignal): Promise<Result<SealedPlace, CliFailure>> {
    return this.#withEngine("The room's container could not be made ready", async (docker) => {
      if (this.#closed || signal.aborted) return err(stopped());
      const mounts = await resolved(mountsFor({ ...request, gateDirectory: this.#options.gateDirectory }));
      const revealing = mountWithEngineSocket(mounts, socketPathOf(docker));
      if (revealing !== undefined) return err(engineSocketMounted(revealing.source));
      const image = await this.#findImage(docker);
      if (!image.ok) return image;
      const given = await this.#giveWorktree(request.worktree);
      if (!given.ok) return given;
      const slot = this.#slotOf(request.room);
      const taken = await slot.take(
        async (waiting) =>
          waiting.plan.image === image.value.id &&
          sameMounts(waiting.plan.mounts, mounts) &&
          (await waiting.isIntact()),
        () => this.#make(docker, image.value, request.room, mounts, signal),
      );
      if (!taken.ok) return taken;
      return ok(this.#placeIn(taken.value, slot, request));
    });
  }

  public removeLeftovers(): Promise<Result<number, CliFailure>> {
    return this.#withEngine('Containers of earlier starts could not be removed', async (docker) =>
      ok(await removeLeftoversOf(docker, this.#options.installId(), this.#options.bootId)),
    );
  }

  public async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#slots.values()].map((slot) => slot.remove()));
  }

  async #make(
    docker: Docker,
    image: SealImage,
    room: RoomId,
    mounts: readonly Mounted[],
    signal: AbortSignal,
  ): Promise<Result<RoomContainer, CliFailure>> {
    const { installId, bootId, resources, clock, bounds, runtime = null } = this.#options;
    if (this.#closed) return err(stopped());
    if (runtime !== null) {
      const runtimes = await runtimesOf(docker);
      if (!runtimes.includes(runtime)) return err(runtimeMissing(runtime, runtimes));
    }
    const { name: engine, submounts } = await engineFacts(docker);
    const plan = {
      image: image.id,
      name: `tribune-${room}-${randomUUID().slice(0, 8)}`,
      labels: { [labels.install]: installId(), [labels.boot]: bootId, [labels.room]: room },
      agent: this.#agent,
      mounts,
      submounts,
      bounds,
      runtime,
    };
    const scripts = {
      forwarder: readFileSync(join(resources, 'forwarder.mjs'), 'utf8'),
      probe: readFileSync(join(resources, 'probe.bash'), 'utf8'),
    };
    return makeContainer({ docker, clock, scripts, engine, imageTitle: image.title }, plan, signal);
  }

  #placeIn(container: RoomContainer, slot: RoomSlot, request: SealRequest): SealedPlace {
    const { snapshot, dependencies, worktree, session } = request;
    const { clock } = this.#options;
    const newToken = randomUUID;
    const folder = `${inside.snapshots}/${snapshot}`;
    const commands =
      worktree === null ? new Commands({ container, snapshot: folder, dependencies, clock, newToken }) : null;
    const directory = worktree === null ? folder : inside.worktree;
    const cli = new SealedCli({ container, directory, session, commands, newToken });
    const clear = async (): Promise<void> => {
      try {
        await cli.clear();
        if (commands?.used === true) await container.clearCommands();
      } catch (thrown) {
        this.#notice("The room's container could not be cleared after a turn", thrown);
      }
      await slot.giveBack();
    };
    let closing: Promise<void> | null = null;
    return { cli, probe: container.findings, close: () => (closing ??= clear()) };
  }

  async #giveWorktree(worktree: string | null): Promise<Result<void, CliFailure>> {
    if (worktree === null || ownUser()?.uid !== 0) return ok(undefined);
    return giveWorktree(await realpath(worktree), await realpath(this.#options.dataDirectory), this.#agent);
  }

  async #findImage(docker: Docker): Promise<Result<SealImage, CliFailure>> {
    const { image } = this.#options;
    try {
      const { Id } = await docker.getImage(image).inspect();
      return ok({ id: Id, title: `${image}@${Id}` });
    } catch (thrown) {
      if (statusOf(thrown) !== 404) throw thrown;
      return err(imageMissing(image));
    }
  }

  #slotOf(room: RoomId): RoomSlot {
    const known = this.#slots.get(room);
    if (known !== undefined) return known;
    const { clock, idleMs } = this.#options;
    const onLeft = (thrown: unknown): void => {
      this.#notice('A container could not be removed', thrown);
    };
    const slot = new RoomSlot({ clock, idleMs, onLeft });
    this.#slots.set(room, slot);
    return slot;
  }

  #notice(what: string, thrown: unknown): void {
    this.#options.onNotice(`${what}: ${messageOf(thrown).trim()}. The next start removes what is left.`);
  }

  async #withEngine<T>(
    doing: string,
    work: (docker: Docker) => Promise<Result<T, CliFailure>>,
  ): Promise<Result<T, CliFailure>> {
    const connected = await connectDocker(this.#options.environment);
    if (!connected.ok) return connected;
    try {
      return await work(connected.value);
    } catch (thrown) {
      if (statusOf(thrown) === null && systemErrorCode(thrown) === null) throw thrown;
      return err(containerFailure(thrown, doing));
    }
  }
}

/** With their own paths, so that no link hides what they are; the engine says of those that are missing that they are. */
function resolved(mounts: readonly Mounted[]): Promise<readonly Mounted[]> {
  return Promise.all(
    mounts.map(async (mounted) => ({
      ...mounted,
      source: (await ifThere(realpath(mounted.source))) ?? mounted.source,
    })),
  );
}

function sameMounts(some: readonly Mounted[], others: readonly Mounted[]): boolean {
  return JSON.stringify(some) === JSON.stringify(others);
}

/** The socket that the engine listens at; null where it is reached over a network. */
function socketPathOf(docker: Docker): string | null {
  return z.object({ socketPath: z.string() }).safeParse(docker.modem).data?.socketPath ?? null;
}
