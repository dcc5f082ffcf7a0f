import type Docker from 'dockerode';
import type { ExecOptions, RunningExec } from './exec.ts';
import { startExec } from './exec.ts';
import { MarkReader } from './marks.ts';

/** A program to be started so. */
export interface MarkedOptions extends Omit<ExecOptions, 'command'> {
  /** One of the scripts of marks.ts. */
  readonly script: string;
  /** The program and its arguments. */
  readonly program: readonly string[];
  /** A word that is in no output by chance. */
  readonly token: string;
}

/** A program in a container whose beginning and end are marked in its output. */
export interface MarkedExec extends RunningExec {
  /** How it began: `gone` where it ended before it could say so. */
  readonly began: Promise<'begun' | 'missing' | 'gone'>;
  /** The exit code as a shell gives it (128 and more: a signal); null where whoever would have said it is gone too. */
  readonly exitCode: Promise<number | null>;
}

/** Starts a program that says by marks in its streams how it goes. Throws what the engine answers. */
export async function startMarkedExec(
  container: Docker.Container,
  options: MarkedOptions,
): Promise<MarkedExec> {
  const began = Promise.withResolvers<'begun' | 'missing' | 'gone'>();
  const ends = [Promise.withResolvers<number | null>(), Promise.withResolvers<number | null>()] as const;
  const readers = [new MarkReader(options.token), new MarkReader(options.token)] as const;
  const reading = (stream: 0 | 1, pass: (piece: Buffer) => void) => (piece: Buffer) => {
    const { output, words } = readers[stream].read(piece);
    if (output.length > 0) pass(output);
    for (const word of words) {
      if (word === 'begun' || word === 'missing') began.resolve(word);
      else ends[stream].resolve(Number(word));
    }
  };
  const passOutput = (piece: Buffer): void => {
    options.onOutput(piece);
  };
  const passProblem = (piece: Buffer): void => {
    options.onProblem(piece);
  };
  const exec = await startExec(container, {
    ...options,
    command: ['/bin/sh', '-c', options.script, options.token, ...options.program],
    onOutput: reading(0, passOutput),
    onProblem: reading(1, passProblem),
  });
  void exec.closed.then(() => {
    const rests = readers.map((reader) => reader.rest());
    if (rests[0] !== undefined && rests[0].length > 0) passOutput(rests[0]);
    if (rests[1] !== undefined && rests[1].length > 0) passProblem(rests[1]);
    began.resolve('gone');
    for (const end of ends) end.resolve(null);
  });
  const exitCode = Promise.all(ends.map(({ promise }) => promise)).then(([code]) => code ?? null);
  return { ...exec, began: began.promise, exitCode };
}
