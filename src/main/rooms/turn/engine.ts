import { err, ok } from '../../../shared/kernel/result.ts';
import type { Result } from '../../../shared/kernel/result.ts';
import type { EngineFailure, TurnDesk, TurnRequest, TurnYield } from '../../ports/engine.ts';
import type { ArbiterQuestion } from '../../ports/reference-models.ts';
import type { NotSeen } from '../prompts/not-seen.ts';
import { systemPrompt } from '../prompts/system-prompt.ts';
import { turnPrompt } from '../prompts/turn-prompt.ts';
import type { PromptMaterial } from '../prompts/turn-prompt.ts';
import { openCliPlace } from './cli-place.ts';
import type { TurnCliPlace } from './cli-place.ts';
import { promptMaterial, taskChanges } from './material.ts';
import { opinionsFor } from './opinions.ts';
import type { PreparedPlace } from './place.ts';
import type { TurnRunner } from './runners.ts';
import type { BegunTry } from './try.ts';

/** Makes a place for the engine's program where it has one, and lets the engine run; the place is gone afterwards. */
export async function runEngine(
  begun: BegunTry,
  runner: TurnRunner,
  prepared: PreparedPlace,
  desk: TurnDesk,
  signal: AbortSignal,
): Promise<Result<TurnYield, EngineFailure>> {
  const place = runner.runs.runsCli ? await openCliPlace(begun, prepared, signal) : ok(null);
  if (!place.ok) return place;
  try {
    const request = await requestFor(begun, runner, prepared, place.value, desk, signal);
    if (!request.ok) return err({ ...request.failure, tag: 'misconfigured', forGood: true });
    return await begun.parts.steps.now('engine.started', () => runner.runs.run(request.value, desk, signal));
  } finally {
    await place.value?.close();
  }
}

/** What the engine is told of the turn. */
async function requestFor(
  begun: BegunTry,
  { runs, settings, opened }: TurnRunner,
  { place, open }: PreparedPlace,
  cliPlace: TurnCliPlace | null,
  desk: TurnDesk,
  signal: AbortSignal,
): Promise<Result<TurnRequest>> {
  const { parts, room, task, turn, turnId, session, nonce, goesOn, newSession } = begun;
  const remembers = runs.resumes && !newSession;
  const sessionKnows = {
    nonce,
    begunBefore: goesOn && (newSession || !runs.resumes) ? open : null,
    notLaidOut: cliPlace?.leftOut ?? [],
  };
  const system = await systemPrompt(turn.role, room.settings, parts.resourcesDirectory);
  if (!system.ok) return system;
  const material = await promptMaterial(parts, room, task, turn, { ...sessionKnows, remembers });
  if (!material.ok) return material;
  const fresh = remembers
    ? await promptMaterial(parts, room, task, turn, { ...sessionKnows, remembers: false })
    : material;
  if (!fresh.ok) return fresh;
  recordNotSeen(begun, [...system.value.notSeen, ...fresh.value.notSeen]);
  const question = (): ArbiterQuestion => ({
    system: system.value.text,
    prompt: turnPrompt({ ...fresh.value, nonce: null }),
  });
  const opinions = await opinionsFor(begun, desk, question, signal);
  const told = (material: PromptMaterial): string =>
    [turnPrompt(material), opinions].filter((part) => part !== '').join('\n\n');
  const changes = taskChanges(parts, parts.workspaceOf(room), task);
  return ok({
    turnId,
    role: turn.role,
    purpose: turn.purpose,
    settings,
    nonce,
    system: system.value.text,
    prompt: told(material.value),
    freshPrompt: told(fresh.value),
    session,
    account: opened,
    cli: cliPlace?.cli ?? null,
    permissions: room.settings.permissions,
    resumed: goesOn && !newSession,
    place,
    ...(changes === undefined ? {} : { changes }),
  });
}

/** What a role could not see bounds what its word is worth. */
function recordNotSeen({ parts, task, turn, turnId }: BegunTry, notSeen: readonly NotSeen[]): void {
  if (notSeen.length === 0) return;
  const data = { role: turn.role, parts: notSeen };
  parts.store.events.append({ type: 'turn.not_seen', roomId: task.roomId, taskId: task.id, turnId, data });
}
