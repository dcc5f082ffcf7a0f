import { turnFailureOf } from '../../ports/coding-cli.ts';
import type { CliEnd, CliFailure } from '../../ports/coding-cli.ts';
import type { EngineFailure } from '../../ports/engine.ts';
import { limits } from './limits.ts';

const MS_PER_MINUTE = 60_000;

/** What a program did that ends an attempt whatever it had said. */
export function silent(title: string): EngineFailure {
  return {
    tag: 'timed_out',
    forGood: false,
    message: `${title} printed nothing for ${limits.silenceMs / MS_PER_MINUTE} minutes, and was ended.`,
    next: 'It is tried again; if it happens again, start the program yourself and see what it waits for.',
  };
}

export function tooLongALine(title: string): EngineFailure {
  return {
    tag: 'protocol',
    forGood: false,
    message: `${title} printed a line of more than ${limits.lineBytes / 1024 / 1024} MB, and was ended.`,
    next: 'It is tried again; if it happens again, ask for less at a time.',
  };
}

export function notItsProtocol(title: string, printed: string): EngineFailure {
  return {
    tag: 'protocol',
    forGood: false,
    message: `${title} printed something that is not its protocol: ${printed}`,
    next: `Check with \`tribune doctor\` that the program is ${title}, and which version it is.`,
  };
}

export function halfALine(title: string, printed: string): EngineFailure {
  return {
    tag: 'protocol',
    forGood: false,
    message: `${title} ended in the middle of a line: ${printed}`,
    next: 'It is tried again.',
  };
}

/** It ended as if all were well, without a word of what came of it. */
export function withoutResult(title: string): EngineFailure {
  return {
    tag: 'program_failed',
    forGood: false,
    message: `${title} ended without a result.`,
    next: 'It is tried again; check the program with `tribune doctor`.',
  };
}

export function resultAndFailure(title: string, { exitCode }: CliEnd, said: string): EngineFailure {
  const how = exitCode === null ? 'was ended by a signal' : `ended with exit code ${exitCode}`;
  return {
    tag: 'program_failed',
    forGood: false,
    message: `${title} gave a result, but ${how}${said === '' ? '' : `: ${said}`}.`,
    next: 'It is tried again; check the program with `tribune doctor`.',
  };
}

export function stopped(title: string): EngineFailure {
  return { tag: 'stopped', forGood: false, message: `${title} was stopped.` };
}

export function lost(title: string, { problem }: CliEnd): EngineFailure {
  return {
    tag: 'program_failed',
    forGood: false,
    message: `What ${title} ran in went away: ${problem ?? 'it is not known why'}.`,
    next: 'It is tried again in a new one.',
  };
}

/** Those who judge never run where they could change what they judge. */
export function notSealed(title: string, role: string): EngineFailure {
  return {
    tag: 'unsealed',
    forGood: true,
    message: `${title} has no container to run in as ${role}.`,
    next: 'Check `tribune doctor`, or give the role the engine "anthropic", which needs none.',
  };
}

/** A person's own login stays on the host. */
export function needsAKey(title: string): EngineFailure {
  return {
    tag: 'login',
    forGood: true,
    message: `${title} runs in a container, where your own login is never taken; it needs an account with a key.`,
    next: 'Set up an account with an API key or a set-up token for this engine.',
  };
}

/** What went wrong with a program's place; where the program is missing and nobody says more, how to get it. */
export function failureOfPlace(failure: CliFailure, install: string): EngineFailure {
  const meant = turnFailureOf(failure);
  return meant.tag === 'program_missing' ? { ...meant, next: meant.next ?? install } : meant;
}
