import { StringDecoder } from 'node:string_decoder';
import type Docker from 'dockerode';
import { z } from 'zod';
import { err, ok } from '../../shared/kernel/result.ts';
import type { Result } from '../../shared/kernel/result.ts';
import type { CliFailure } from '../ports/coding-cli.ts';
import type { RunningExec } from './exec.ts';
import { startExec } from './exec.ts';
import { inside } from './inside.ts';
import { lost } from './seal-failures.ts';
import type { InsideUser } from './users.ts';

const saying = z.union([
  z.object({ port: z.number() }),
  z.object({ id: z.number(), value: z.unknown() }),
  z.object({ id: z.number(), problem: z.string(), code: z.string().nullable() }),
]);

/** Longer than any answer, in characters. */
const MAX_LINE_CHARACTERS = 100_000;
/** Most of its error output that is kept, in characters. */
const PROBLEM_CHARACTERS = 500;

/**
 * Our own process in a container, which runs as the agent's user for as long as the container lives: see
 * `resources/reviewer/forwarder.mjs`. It answers in a millisecond where an exec takes a hundred, and when no process
 * can be started any more.
 */
export class Resident {
  /** Where it forwards to the gate, on the container's loopback. */
  public readonly port: number;
  /** Resolves when it has ended, or the container has. */
  public readonly gone: Promise<void>;
  readonly #exec: RunningExec;
  readonly #waiting: Map<number, (answer: Result<unknown, CliFailure>) => void>;
  #asked = 0;
  #isGone = false;

  /** Starts it; throws what the engine answers. */
  public static async start(
    container: Docker.Container,
    user: InsideUser,
    script: string,
  ): Promise<Result<Resident, CliFailure>> {
    const listening = Promise.withResolvers<number | null>();
    const waiting = new Map<number, (answer: Result<unknown, CliFailure>) => void>();
    let problem = '';
    const forged = Promise.withResolvers<undefined>();
    const exec = await startExec(container, {
      user,
      input: true,
      command: ['node', '--input-type=module', '--eval', script, inside.gateSocket, inside.home],
      onOutput: linesTo((line) => {
        const said = sayingIn(line);
        // A sealed owner's own commands run as this user too, and can write into its output.
        if (said === null) forged.resolve(undefined);
        else if ('port' in said) listening.resolve(said.port);
        else waiting.get(said.id)?.('problem' in said ? err(refusal(said)) : ok(said.value));
      }),
      onProblem: (piece) => {
        problem = (problem + piece.toString('utf8')).slice(-PROBLEM_CHARACTERS);
      },
    });
    void forged.promise.then(() => {
      exec.drop();
    });
    void exec.closed.then(() => {
      listening.resolve(null);
      for (const tell of waiting.values()) tell(err(lost('what passes its connections on has ended')));
    });
    const port = await listening.promise;
    if (port === null) {
      return err({
        tag: 'start_failed',
        message: `What passes connections on in the container did not start: ${problem.trim()}`,
        next: 'Build the image anew with `tribune image build`.',
      });
    }
    return ok(new Resident(port, exec, waiting));
  }

  private constructor(
    port: number,
    exec: RunningExec,
    waiting: Map<number, (answer: Result<unknown, CliFailure>) => void>,
  ) {
    this.port = port;
    this.#exec = exec;
    this.#waiting = waiting;
    this.gone = exec.closed.then(() => {
      this.#isGone = true;
    });
  }

  public get isGone(): boolean {
    return this.#isGone;
  }

  public makeFolder(path: string): Promise<Result<unknown, CliFailure>> {
    return this.#ask('make_folder', { path });
  }

  public layDown(path: string, content: string): Promise<Result<unknown, CliFailure>> {
    return this.#ask('lay_down', { path, content });
  }

  public remove(path: string): Promise<Result<unknown, CliFailure>> {
    return this.#ask('remove', { path });
  }

  /** Removes what its user has left in a folder that others use too. */
  public removeOwnIn(path: string): Promise<Result<unknown, CliFailure>> {
    return this.#ask('remove_own_in', { path });
  }

  /** Ends every process of its user but itself. */
  public endProcesses(): Promise<Result<unknown, CliFailure>> {
    return this.#ask('end_processes', {});
  }

  /** How many processes of this user there are that have not ended. */
  public async countProcesses(user: InsideUser): Promise<Result<number, CliFailure>> {
    const answer = await this.#ask('count_processes', { user: user.uid });
    if (!answer.ok) return answer;
    const count = z.number().safeParse(answer.value);
    return count.success ? ok(count.data) : err(lost('what counts its processes does not'));
  }

  public drop(): void {
    this.#exec.drop();
  }

  async #ask(deed: string, details: Readonly<Record<string, unknown>>): Promise<Result<unknown, CliFailure>> {
    if (this.#isGone) return err(lost('what passes its connections on has ended'));
    this.#asked += 1;
    const id = this.#asked;
    const { promise, resolve } = Promise.withResolvers<Result<unknown, CliFailure>>();
    this.#waiting.set(id, resolve);
    this.#exec.write(`${JSON.stringify({ id, deed, ...details })}\n`);
    const answer = await promise;
    this.#waiting.delete(id);
    return answer;
  }
}

function refusal({ problem, code }: { problem: string; code: string | null }): CliFailure {
  if (code === 'ENOSPC') {
    return {
      tag: 'no_space',
      message: `The agent's home in the container is full: ${problem}`,
      next: 'Try again: a new container starts empty.',
    };
  }
  return { tag: 'start_failed', message: `The container refused a step of the turn: ${problem}` };
}

function linesTo(take: (line: string) => void): (piece: Buffer) => void {
  const decoder = new StringDecoder('utf8');
  let begun = '';
  return (piece) => {
    const lines = (begun + decoder.write(piece)).split('\n');
    begun = lines.pop() ?? '';
    // A line without an end would be kept for ever; a part of one says nothing.
    if (begun.length > MAX_LINE_CHARACTERS) lines.push(begun.slice(0, 1));
    begun = begun.slice(0, MAX_LINE_CHARACTERS);
    for (const line of lines) take(line);
  };
}

function sayingIn(line: string): z.infer<typeof saying> | null {
  try {
    return saying.safeParse(JSON.parse(line)).data ?? null;
  } catch {
    return null;
  }
}
