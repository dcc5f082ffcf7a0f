import type { EngineSettings } from '../../../shared/contract/room.ts';
import { err, ok } from '../../../shared/kernel/result.ts';
import type { Result } from '../../../shared/kernel/result.ts';
import type { Engine, EngineFailure, TurnDesk, TurnYield } from '../../ports/engine.ts';
import { roleSettings } from '../parts.ts';
import { systemPrompt } from '../prompts/system-prompt.ts';
import { turnPrompt } from '../prompts/turn-prompt.ts';
import { openCliPlace } from './cli-place.ts';
import { promptMaterial, taskChanges } from './material.ts';
import type { PreparedPlace } from './place.ts';
import type { BegunTry } from './try.ts';

/** Tells the role's engine what the turn is about, and lets it run. */
export async function runEngine(
  begun: BegunTry,
  prepared: PreparedPlace,
  desk: TurnDesk,
  signal: AbortSignal,
): Promise<Result<TurnYield, EngineFailure>> {
  const { parts, room, task, turn, turnId, session, nonce } = begun;
  const { place, open } = prepared;
  const chosen = chooseEngine(begun);
  if (!chosen.ok) return chosen;
  const { engine, settings } = chosen.value;
  const begunBefore = turn.attempt > 1 && !engine.resumes ? open : null;
  const system = await systemPrompt(turn.role, room.settings, parts.resourcesDirectory);
  if (!system.ok) return err({ ...system.failure, tag: 'misconfigured', forGood: true });
  const remembers = engine.resumes;
  const material = await promptMaterial(parts, room, task, turn, { nonce, remembers, begunBefore });
  if (!material.ok) return err({ ...material.failure, tag: 'misconfigured', forGood: true });
  const prompt = turnPrompt(material.value);
  const fresh = remembers
    ? await promptMaterial(parts, room, task, turn, { nonce, remembers: false, begunBefore })
    : material;
  if (!fresh.ok) return err({ ...fresh.failure, tag: 'misconfigured', forGood: true });
  const changes = taskChanges(parts, parts.workspaceOf(room), task);
  const request = {
    turnId,
    role: turn.role,
    purpose: turn.purpose,
    settings,
    nonce,
    system: system.value,
    prompt,
    freshPrompt: turnPrompt(fresh.value),
    session,
    account: null,
    cli: null,
    resumed: turn.attempt > 1,
    place,
    ...(changes === undefined ? {} : { changes }),
  };
  if (!engine.runsCli) return parts.steps.now('engine.started', () => engine.run(request, desk, signal));
  const opened = await openCliPlace(begun, prepared, signal);
  if (!opened.ok) return opened;
  try {
    const { cli } = opened.value;
    return await parts.steps.now('engine.started', () => engine.run({ ...request, cli }, desk, signal));
  } finally {
    await opened.value.close();
  }
}

function chooseEngine({
  parts,
  room,
  turn,
}: BegunTry): Result<{ engine: Engine; settings: EngineSettings }, EngineFailure> {
  const settings = roleSettings(parts, room, turn.role);
  const engine = settings === null ? undefined : parts.engines.get(settings.engine);
  if (settings !== null && engine !== undefined) return ok({ engine, settings });
  return err({
    tag: 'misconfigured',
    forGood: true,
    message:
      settings === null
        ? `Room ${room.name} has no engine for the ${turn.role}.`
        : `The engine ${settings.engine} for the ${turn.role} of room ${room.name} is not available here.`,
    next: `Choose another with \`tribune rooms set ${room.name} --${turn.role} ENGINE:MODEL\`, then try again.`,
  });
}
