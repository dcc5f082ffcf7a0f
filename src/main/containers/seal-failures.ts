import { messageOf } from '../../shared/kernel/result.ts';
import type { CliFailure } from '../ports/coding-cli.ts';
import { dockerFailure } from './docker-failure.ts';
import type { ProbeFindings } from '../ports/seals.ts';

/** The way out that is always there. */
const WITHOUT_CONTAINER = 'use a reviewer on the engine `anthropic`, which needs none';

/** The turn was ended while its container was being made. */
export function stopped(): CliFailure {
  return { tag: 'stopped', message: 'The turn was stopped before its container was ready.' };
}

/** The container is gone, with the turn in it. */
export function lost(what: string): CliFailure {
  return {
    tag: 'lost',
    message: `The room's container went away: ${what}.`,
    next: 'Try again: the next turn gets a new one.',
  };
}

/** The engine does not have the image. */
export function imageMissing(image: string): CliFailure {
  return {
    tag: 'image_missing',
    message: `The container engine has no image ${image}.`,
    next: `Run \`tribune image build\`, or ${WITHOUT_CONTAINER}.`,
  };
}

/** The settings name a runtime that the engine does not have. */
export function runtimeMissing(runtime: string, runtimes: readonly string[]): CliFailure {
  return {
    tag: 'start_failed',
    message: `The container engine has no runtime ${runtime}, only ${runtimes.join(', ')}.`,
    next: `Install it and name it in the engine's configuration, or take the setting away.`,
  };
}

/** A mount would bring in the engine itself, and with it the machine. */
export function engineSocketMounted(source: string): CliFailure {
  return {
    tag: 'seal_broken',
    message: `${source} holds the container engine's own socket, which would give an agent the whole machine.`,
    next: 'Let the room work in a directory that holds no more than the project.',
  };
}

/** The engine did not make what was asked for, or the probe got out. */
export function sealBroken(what: readonly string[]): CliFailure {
  return {
    tag: 'seal_broken',
    message: `The container is not sealed: ${what.join('; ')}.`,
    next: `Update the container engine or mend its configuration, or ${WITHOUT_CONTAINER}.`,
  };
}

/** What succeeded in the container that must not, for a failure's message. */
export function brokenAttempts({ attempts }: ProbeFindings): readonly string[] {
  return attempts
    .filter(({ held }) => !held)
    .map(({ name, detail }) => (detail === '' ? `"${name}" succeeded` : `"${name}" succeeded (${detail})`));
}

/** What the engine answered to something that was done with a container. */
export function containerFailure(thrown: unknown, doing: string): CliFailure {
  const failure = dockerFailure(thrown, doing);
  if (failure.tag === 'no_engine') {
    return { ...failure, next: `Install or start Docker or Podman, or ${WITHOUT_CONTAINER}.` };
  }
  if (/no such container|is not running|container stopped/i.test(messageOf(thrown)))
    return lost(failure.message);
  return failure;
}

/** The status of the engine's answer; null for anything else that was thrown. */
export function statusOf(thrown: unknown): number | null {
  const status: unknown = thrown instanceof Error && 'statusCode' in thrown ? thrown.statusCode : null;
  return typeof status === 'number' ? status : null;
}
