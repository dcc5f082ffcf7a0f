import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { assertNever, err, ok, type Result } from '../../../shared/kernel/result.ts';
import { bounded } from '../../../shared/kernel/text.ts';
import { readProgramOutput } from '../../domain/verdict/submitted.ts';
import type { Engine, EngineFailure, TurnDesk, TurnRequest, TurnYield } from '../../ports/engine.ts';
import type { PipedResult, TerminalFailure, Terminals } from '../../ports/terminal.ts';
import { budgetUsedUp } from '../budget-failure.ts';
import { shownOutput } from '../shown-output.ts';
import { findProgram } from './find-program.ts';
import { programPrompt } from './program-prompt.ts';

export interface CommandEngineOptions {
  readonly terminals: Terminals;
  /** Where programs are looked for by `check`: the PATH of the host's environment. */
  readonly path: string;
}

/** The longest that a program may work on one turn: half of the time that a task has by default. */
const TURN_MS = 60 * 60_000;
/** Most of a program's output that is kept, in bytes; far more than a verdict and its words need. */
const KEPT_BYTES = 1024 * 1024;
/** Most of a program's output that is shown live, in characters. */
const SHOWN_CHARACTERS = 256 * 1024;
/** Most of what it says that people and the next agents get to read, in characters. */
const SAID_CHARACTERS = 40_000;
/** How much of the end of its error output a failure quotes, in characters. */
const QUOTED_CHARACTERS = 2_000;

/**
 * Turns through any program: what is asked on its standard input, text or one JSON object on its standard output.
 *
 * An owner's program works in the owner's directory. Programs of other roles run on the host, unsealed: nothing
 * but the system's own rules keeps such a program from what the host's user may touch. So it is given nothing to
 * touch: it is started in an empty directory that is removed afterwards, and what it has to judge is in its prompt.
 * No setting of a room gives it more.
 */
export function createCommandEngine({ terminals, path }: CommandEngineOptions): Engine {
  return {
    name: 'command',
    resumes: false,
    runsCli: false,
    async check(settings) {
      const [program] = settings.command ?? [];
      if (program === undefined) return err(missingCommand());
      const found = await findProgram(program, path);
      return found === null ? err(missingProgram(program)) : ok(`${found}, which was not tried.`);
    },
    async run(request, desk, signal) {
      if (request.place.kind === 'directory' && request.role === 'owner') {
        return runProgram(terminals, request, desk, request.place.directory, signal);
      }
      const directory = await mkdtemp(join(tmpdir(), 'tribune-turn-'));
      try {
        return await runProgram(terminals, request, desk, directory, signal);
      } finally {
        await rm(directory, { recursive: true, force: true });
      }
    },
  };
}

async function runProgram(
  terminals: Terminals,
  request: TurnRequest,
  desk: TurnDesk,
  directory: string,
  signal: AbortSignal,
): Promise<Result<TurnYield, EngineFailure>> {
  const [program, ...args] = request.settings.command ?? [];
  if (program === undefined) return err(missingCommand());
  const permit = desk.beforeCall();
  if (permit.kind === 'refused') return err(budgetUsedUp(permit));

  const about = { id: `${request.turnId}:program`, tool: 'command' };
  desk.report({ type: 'tool_started', ...about, summary: program });
  const ended = await terminals.pipe(
    {
      program,
      args,
      directory,
      stdin: programPrompt(request, permit),
      timeoutMs: TURN_MS,
      maxBytes: KEPT_BYTES,
      onData: shownOutput(desk, about.id, SHOWN_CHARACTERS),
    },
    signal,
  );
  const failure = ended.ok
    ? failureOfResult(program, ended.value)
    : failureOfTerminal(program, ended.failure);
  desk.report({
    type: 'tool_ended',
    ...about,
    call: program,
    ok: failure === null,
    summary: failure?.message ?? 'exit code 0',
  });
  if (failure !== null) return err(failure);
  if (ended.ok && ended.value.truncated) {
    const text = `The program printed more than ${KEPT_BYTES} bytes: the middle of it was not read.`;
    desk.report({ type: 'notice', text });
  }
  const stdout = ended.ok ? stripVTControlCharacters(ended.value.stdout) : '';
  const said = readProgramOutput(request.role, request.nonce, stdout);
  const words = bounded(said.text, SAID_CHARACTERS);
  if (words.trim() !== '') desk.report({ type: 'text', text: words });
  return ok({ ...said, text: words });
}

function failureOfResult(program: string, result: PipedResult): EngineFailure | null {
  if (result.timedOut) {
    return {
      tag: 'timed_out',
      forGood: false,
      message: `The program "${program}" did not end within ${TURN_MS / 60_000} minutes and was ended.`,
      next: 'Ask for less in one turn.',
    };
  }
  if (result.exitCode === 0) return null;
  const how = result.exitCode === null ? 'was ended by a signal' : `ended with exit code ${result.exitCode}`;
  const said = result.stderr.trim().slice(-QUOTED_CHARACTERS);
  return {
    tag: 'program_failed',
    forGood: false,
    message: `The program "${program}" ${how}${said === '' ? '.' : `:\n${said}`}`,
    next: 'Run it by hand to see why.',
  };
}

function failureOfTerminal(program: string, failure: TerminalFailure): EngineFailure {
  switch (failure.tag) {
    case 'stopped':
      return { ...failure, tag: 'stopped', forGood: false };
    case 'program_missing':
      return missingProgram(program);
    case 'directory_missing':
    case 'spawn_failed':
      return { ...failure, tag: 'program_failed', forGood: false };
    default:
      return assertNever(failure.tag);
  }
}

function missingCommand(): EngineFailure {
  return {
    tag: 'misconfigured',
    forGood: true,
    message: 'The engine "command" is set up without a program.',
    next: "Name the program and its arguments as `command` for this role in the room's settings.",
  };
}

function missingProgram(program: string): EngineFailure {
  return {
    tag: 'program_missing',
    forGood: true,
    message: `The program "${program}" was not found.`,
    next: "Install it, or give its full path in the room's settings.",
  };
}
