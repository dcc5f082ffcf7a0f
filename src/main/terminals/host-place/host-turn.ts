import type { IPty } from 'node-pty';
import type { Socket } from 'node:net';
import type { CliEnd, CliFailure, CliLaunch, RunningCli } from '../../ports/coding-cli.ts';
import { CompletionReader, completionMark } from '../completion.ts';
import { KeptOutput } from '../../../shared/kernel/kept-output.ts';
import { happensWithin } from '../pause.ts';
import { plainText } from '../plain-text.ts';
import { endTree, type Tree } from '../process-tree.ts';
import { encodeFrame, encodeJson, encodeText, FrameReader, type Frame } from '../turn-runner/frames.ts';
import {
  endedSchema,
  failedSchema,
  readBody,
  type RunnerEnded,
  type RunnerFailed,
  type RunnerLaunch,
} from '../turn-runner/messages.ts';
import type { HostPlacesOptions } from './host-places.ts';
import type { TurnChannel } from './turn-channel.ts';

/** Most bytes of a frame that a runner sends: what one read from a pipe gives, many times over. */
const MAX_FRAME_BYTES = 1_048_576;
/** Most of what the terminal shows that a failure quotes, in bytes. */
const QUOTED_BYTES = 1_000;

/** One program under a turn runner, and who is told what it prints. */
export interface TurnParts {
  readonly pty: IPty;
  readonly channel: TurnChannel;
  readonly order: RunnerLaunch;
  readonly token: string;
  readonly launch: CliLaunch;
}

/** A program under a turn runner, as the host sees it. */
export class HostTurn implements RunningCli {
  /** Null once the program runs; else why it does not. */
  public readonly started: Promise<CliFailure | null>;
  public readonly ended: Promise<CliEnd>;
  readonly #launch: CliLaunch;
  readonly #options: HostPlacesOptions;
  readonly #channel: TurnChannel;
  readonly #tree: Tree;
  readonly #token: string;
  readonly #frames = new FrameReader(MAX_FRAME_BYTES);
  readonly #firstWords = new KeptOutput(QUOTED_BYTES);
  readonly #start = Promise.withResolvers<CliFailure | null>();
  readonly #report = Promise.withResolvers<RunnerEnded | null>();
  readonly #shown = Promise.withResolvers<null>();
  readonly #runnerGone: Promise<null>;
  #socket: Socket | null = null;
  #ending: Promise<void> | null = null;
  #stopped = false;

  public constructor({ pty, channel, order, token, launch }: TurnParts, options: HostPlacesOptions) {
    this.#launch = launch;
    this.#options = options;
    this.#channel = channel;
    this.#token = token;
    this.#tree = { root: pty.pid, mark: order.mark };
    const reader = new CompletionReader(token);
    pty.onData((data) => {
      const { output, exitCode } = reader.read(data);
      this.#seen(output);
      if (exitCode !== null) this.#shown.resolve(null);
    });
    this.#runnerGone = new Promise((resolve) => {
      pty.onExit(() => {
        this.#seen(reader.rest());
        resolve(null);
      });
    });
    void channel.connected.then((socket) => {
      this.#connect(socket);
      socket.write(encodeJson('launch', order));
    });
    this.started = this.#start.promise;
    this.ended = this.#run();
  }

  public write(text: string): void {
    this.#say(encodeText('input', text));
  }

  public endInput(): void {
    this.#say(encodeFrame('input_end'));
  }

  public show(text: string): void {
    this.#say(encodeText('show', text));
  }

  public stop(): void {
    this.#stopped = true;
    void this.#endTree();
  }

  async #run(): Promise<CliEnd> {
    const { clock, graceMs, running } = this.#options;
    const forget = running.add(this.#tree);
    const report = await Promise.race([this.#report.promise, this.#runnerGone]);
    if (report !== null) await this.#showAll();
    // Which lets the runner go.
    this.#socket?.end();
    const left = report !== null && (await happensWithin(clock, graceMs, this.#runnerGone));
    if (!left || this.#ending !== null) await this.#endTree();
    // Something that we may not end can hold the terminal open; it keeps it, but not us.
    await happensWithin(clock, graceMs, this.#runnerGone);
    this.#socket?.destroy();
    this.#channel.close();
    forget();
    this.#start.resolve(this.#neverStarted());
    if (this.#stopped || report?.stopped === true) {
      return { exitCode: report?.exitCode ?? null, by: 'stopped', problem: null };
    }
    if (report !== null) return { exitCode: report.exitCode, by: 'itself', problem: null };
    return { exitCode: null, by: 'lost', problem: 'The turn runner that it ran under has gone away.' };
  }

  /** Waits until all that was put on the terminal has come back from it: whoever watches sees the last words too. */
  async #showAll(): Promise<void> {
    const { clock, graceMs } = this.#options;
    this.show(completionMark(this.#token, 0));
    await happensWithin(clock, graceMs, Promise.race([this.#shown.promise, this.#runnerGone]));
  }

  #endTree(): Promise<void> {
    const { clock, graceMs } = this.#options;
    this.#ending ??= endTree(this.#tree, clock, graceMs);
    return this.#ending;
  }

  #connect(socket: Socket): void {
    this.#socket = socket;
    socket.on('data', (chunk) => {
      const frames = this.#frames.push(chunk);
      // No runner of ours speaks so: who does is not listened to.
      if (frames === null) socket.destroy();
      else for (const frame of frames) this.#take(frame);
    });
    // 'close' follows, and says what it comes to.
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.#report.resolve(null);
    });
  }

  #take({ type, body }: Frame): void {
    switch (type) {
      case 'started':
        this.#start.resolve(null);
        break;
      case 'failed': {
        const failed = readBody(failedSchema, body);
        if (failed !== null) this.#start.resolve(cannotStart(this.#launch.program, failed));
        this.#report.resolve({ exitCode: null, stopped: false });
        break;
      }
      case 'output':
        this.#launch.onOutput(body);
        break;
      case 'problem':
        this.#launch.onProblem(body);
        break;
      case 'ended':
        this.#report.resolve(readBody(endedSchema, body));
        break;
      case 'launch':
      case 'input':
      case 'input_end':
      case 'show':
        this.#socket?.destroy();
        break;
    }
  }

  #seen(output: string): void {
    if (output === '') return;
    this.#firstWords.add(output);
    this.#launch.onScreen(output);
  }

  #say(frame: Buffer): void {
    if (this.#socket?.writable === true) this.#socket.write(frame);
  }

  #neverStarted(): CliFailure {
    const words = plainText(this.#firstWords.text()).trim();
    return {
      tag: 'start_failed',
      message: `The turn runner of "${this.#launch.program}" ended before it had started it${words === '' ? '.' : `:\n${words}`}`,
      next: 'Check that the system has processes and memory left, and that Tribune is installed whole.',
    };
  }
}

function cannotStart(program: string, { code, message }: RunnerFailed): CliFailure {
  if (code === 'ENOENT') {
    return {
      tag: 'program_missing',
      message: `The program "${program}" was not found.`,
      next: 'Install it, or give its full path. `tribune doctor` says where programs are looked for.',
    };
  }
  return {
    tag: 'start_failed',
    message: `The program "${program}" could not be started: ${message}.`,
    next: 'Check that it may be executed.',
  };
}
