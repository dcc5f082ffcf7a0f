import { dirname, join } from 'node:path';
import type { Clock } from '../../shared/kernel/clock.ts';
import { ok } from '../../shared/kernel/result.ts';
import type { Result } from '../../shared/kernel/result.ts';
import { reviewerImage } from '../containers/image/reviewer-image.ts';
import { createSeals } from '../containers/seals.ts';
import { agentUser, ownUser } from '../containers/users.ts';
import type { GateFailure } from '../gate/listeners.ts';
import { openTurnGates } from '../gate/turn-gates.ts';
import { socketPathFor } from '../gateway/socket/socket-path.ts';
import type { Seals } from '../ports/seals.ts';
import type { TurnGates } from '../ports/turn-gate.ts';
import type { Store } from '../store/store.ts';
import type { Config } from './config/schema.ts';
import { hasInstallId, installIdOf } from './install-id.ts';
import { usdOfCall } from './model-prices.ts';
import { findResources } from './resources.ts';
import { closing } from './shutdown.ts';
import type { Closing } from './shutdown.ts';

/** What it depends on, beside the settings. */
export interface AgentSupportOptions {
  readonly dataDirectory: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly clock: Clock;
  readonly bootId: string;
  /** Whether this host takes up tasks: one that does not needs no gate. */
  readonly work: boolean;
}

/** What coding agents need beside the rooms: gates to models and tools, and containers to be sealed in. */
export interface AgentSupport {
  readonly gates: TurnGates;
  readonly seals: Seals;
  /** Removes what earlier hosts have left, while this one is at work already. */
  clearLeftovers(): void;
}

const MS_PER_MINUTE = 60_000;

const GATES_DEADLINE_MS = 2_000;
const SEALS_DEADLINE_MS = 10_000;

/** Opens it, and notes each part for its end. */
export async function openAgentSupport(
  options: AgentSupportOptions,
  config: Config,
  store: Store,
  closings: Closing[],
): Promise<Result<AgentSupport, GateFailure>> {
  const { dataDirectory, environment, clock, bootId, work } = options;
  const user = ownUser();
  // Beside the host's socket, whose path is short enough for one.
  const gateDirectory = join(dirname(socketPathFor(dataDirectory)), 'gate');
  const gates = work
    ? await openTurnGates({
        directory: gateDirectory,
        agentUser: user?.uid === 0 ? agentUser(user) : null,
        clock,
        usdOf: usdOfCall,
        onEvent: ({ type, ...data }) => {
          store.events.append({ type: `gate.${type}`, data });
        },
      })
    : ok(null);
  if (!gates.ok) return gates;
  closings.push(closing('gates', GATES_DEADLINE_MS, () => gates.value?.close()));
  const resources = join(findResources(), 'reviewer');
  const { image, runtime, idleMinutes, memoryMb, cpus } = config.containers;
  const seals = createSeals({
    clock,
    environment,
    image: image ?? reviewerImage(resources),
    runtime: runtime ?? undefined,
    installId: () => installIdOf(dataDirectory),
    bootId,
    dataDirectory,
    gateDirectory,
    resources,
    bounds: { memoryMb, cpus },
    idleMs: idleMinutes * MS_PER_MINUTE,
    onNotice: (text) => {
      store.events.append({ type: 'seal.noticed', data: { text } });
    },
  });
  let cleared = Promise.resolve();
  closings.push(
    closing('seals', SEALS_DEADLINE_MS, async () => {
      await cleared;
      await seals.close();
    }),
  );
  return ok({
    gates: gates.value ?? noGates,
    seals,
    clearLeftovers: () => {
      // An install without an id has never made a container, and its host need not load what speaks with the engine.
      if (hasInstallId(dataDirectory)) cleared = removeLeftovers(seals, store);
    },
  });
}

const noGates: TurnGates = {
  open: () => {
    throw new Error('A host that takes up no task has no gates.');
  },
};

async function removeLeftovers(seals: Seals, store: Store): Promise<void> {
  const removed = await seals.removeLeftovers();
  // Where there is no engine there is nothing left of it; each turn that needs one says so.
  if (!removed.ok && removed.failure.tag === 'no_engine') return;
  if (removed.ok && removed.value === 0) return;
  const text = removed.ok
    ? `Removed ${removed.value} containers that an earlier host had left behind.`
    : removed.failure.message;
  store.events.append({ type: 'seal.noticed', data: { text } });
}
