import type { Duplex } from 'node:stream';
import type Docker from 'dockerode';
import { Demultiplexer } from './demultiplexer.ts';
import type { InsideUser } from './users.ts';
import { userText } from './users.ts';

/** A program to be started in a container, and who is told what it prints. */
export interface ExecOptions {
  readonly user: InsideUser;
  readonly command: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly directory?: string;
  /** Whether it gets a standard input, to be written to; else it is empty. */
  readonly input: boolean;
  onOutput(piece: Buffer): void;
  onProblem(piece: Buffer): void;
}

/** A process that was started in a container, as far as its streams tell. */
export interface RunningExec {
  write(text: string): void;
  endInput(): void;
  /** Resolves when both of its outputs are closed, or the connection is lost. Never rejects. */
  readonly closed: Promise<void>;
  /** Lets the connection go; the process is not ended by that. */
  drop(): void;
}

/** Starts a process in a running container. Throws what the engine answers. */
export async function startExec(container: Docker.Container, options: ExecOptions): Promise<RunningExec> {
  const exec = await container.exec({
    User: userText(options.user),
    Cmd: [...options.command],
    Env: Object.entries(options.environment ?? {}).map(([name, value]) => `${name}=${value}`),
    ...(options.directory === undefined ? {} : { WorkingDir: options.directory }),
    AttachStdin: options.input,
    AttachStdout: true,
    AttachStderr: true,
  });
  const stream: Duplex = await exec.start({ hijack: true, stdin: options.input });
  const demultiplexer = new Demultiplexer(
    (piece) => {
      options.onOutput(piece);
    },
    (piece) => {
      options.onProblem(piece);
    },
  );
  stream.on('data', (chunk: Buffer) => {
    demultiplexer.read(chunk);
  });
  const closed = new Promise<void>((resolve) => {
    // A connection that breaks says the same as one that ends: nothing more comes.
    stream.once('error', () => {
      resolve();
    });
    stream.once('close', resolve);
    stream.once('end', () => {
      stream.destroy();
      resolve();
    });
  });
  // Later errors of a stream that is closed already.
  stream.on('error', () => undefined);
  return {
    write: (text) => {
      if (stream.writable) stream.write(text);
    },
    endInput: () => {
      if (stream.writable) stream.end();
    },
    closed,
    drop: () => {
      stream.destroy();
    },
  };
}

/** Runs a short command to its end: everything it printed. Throws what the engine answers. */
export async function outputOfExec(
  container: Docker.Container,
  user: InsideUser,
  command: readonly string[],
): Promise<string> {
  const pieces: Buffer[] = [];
  const keep = (piece: Buffer): void => void pieces.push(piece);
  const exec = await startExec(container, { user, command, input: false, onOutput: keep, onProblem: keep });
  await exec.closed;
  return Buffer.concat(pieces).toString('utf8');
}
