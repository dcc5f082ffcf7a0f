import type Docker from 'dockerode';
import type { Clock } from '../../shared/kernel/clock.ts';
import { err, ok } from '../../shared/kernel/result.ts';
import type { Result } from '../../shared/kernel/result.ts';
import type { CliFailure } from '../ports/coding-cli.ts';
import { deviations } from './deviations.ts';
import { inside } from './inside.ts';
import { probe } from './probe.ts';
import type { ContainerPlan } from './profile.ts';
import { containerSpec } from './profile.ts';
import { Resident } from './resident.ts';
import { removeContainer, RoomContainer } from './room-container.ts';
import { brokenAttempts, containerFailure, sealBroken, statusOf, stopped } from './seal-failures.ts';
import { testerUser } from './users.ts';

/** What every container of an engine is made with. */
export interface ContainerMaker {
  readonly docker: Docker;
  readonly clock: Clock;
  /** What runs inside, from `resources/reviewer`. */
  readonly scripts: { readonly forwarder: string; readonly probe: string };
  /** Such as `docker 20.10.24`, for the findings. */
  readonly engine: string;
  /** The image as its name and id say. */
  readonly imageTitle: string;
}

/** Makes a container and tries its seal. One that doesn't hold, or that is not wanted any more, is removed at once. */
export async function makeContainer(
  maker: ContainerMaker,
  plan: ContainerPlan,
  signal: AbortSignal,
): Promise<Result<RoomContainer, CliFailure>> {
  const spec = containerSpec(plan);
  let container: Docker.Container | null = null;
  try {
    container = await maker.docker.createContainer(spec);
    await container.start();
    const made = signal.aborted ? err(stopped()) : await tried(maker, plan, container);
    if (!made.ok || signal.aborted) {
      await removeContainer(container);
      return made.ok ? err(stopped()) : made;
    }
    return made;
  } catch (thrown) {
    const failure = containerFailure(thrown, "The room's container could not be started");
    if (container === null) return err(failure);
    try {
      await removeContainer(container);
    } catch (alsoThrown) {
      // An engine that is away says so again; what it keeps is a leftover at the next boot.
      if (statusOf(alsoThrown) !== null) throw alsoThrown;
    }
    return err(failure);
  }
}

async function tried(
  maker: ContainerMaker,
  plan: ContainerPlan,
  container: Docker.Container,
): Promise<Result<RoomContainer, CliFailure>> {
  const { agent } = plan;
  const spec = containerSpec(plan);
  const writable = plan.mounts.filter((mounted) => mounted.writable).map(({ target }) => target);
  const [inspected, resident, asAgent] = await Promise.all([
    container.inspect(),
    Resident.start(container, agent, maker.scripts.forwarder),
    probe(container, 'agent', agent, maker.scripts.probe, writable),
  ]);
  const wrong = deviations(spec, inspected);
  if (wrong.length > 0) return err(sealBroken(wrong));
  if (!resident.ok) return resident;
  if (!asAgent.ok) return asAgent;
  // By itself and last, for it uses all processes up that there may be.
  const asTester = await probe(container, 'tester', testerUser(agent), maker.scripts.probe, writable);
  if (!asTester.ok) return asTester;
  const findings = {
    container: `${maker.engine}, image ${maker.imageTitle}`,
    attempts: [...asAgent.value, ...asTester.value],
  };
  const broken = brokenAttempts(findings);
  if (broken.length > 0) return err(sealBroken(broken));
  return ok(
    new RoomContainer({ container, plan, spec, resident: resident.value, findings, clock: maker.clock }),
  );
}

/** What a container has mounted of the host, for a turn that reads or, with a worktree, for one that writes. */
export function mountsFor(request: {
  readonly snapshots: string;
  readonly worktree: string | null;
  readonly dependencies: readonly { readonly source: string }[];
  readonly gateDirectory: string;
}): ContainerPlan['mounts'] {
  const work =
    request.worktree === null
      ? { source: request.snapshots, target: inside.snapshots, writable: false }
      : { source: request.worktree, target: inside.worktree, writable: true };
  const dependencies = request.dependencies.map(({ source }, number) => ({
    source,
    target: `${inside.dependencies}/${number}`,
    writable: false,
  }));
  return [work, ...dependencies, { source: request.gateDirectory, target: inside.gate, writable: false }];
}
