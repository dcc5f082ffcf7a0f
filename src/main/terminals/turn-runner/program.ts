import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { systemClock } from '../../../shared/kernel/clock.ts';
import { messageOf } from '../../../shared/kernel/result.ts';
import { systemErrorCode } from '../../../shared/kernel/system-error.ts';
import { happensWithin } from '../pause.ts';
import { startOf } from '../process-table.ts';
import { belongsTo, endProcesses } from '../process-tree.ts';
import { encodeFrame, encodeJson, type FrameType } from './frames.ts';
import type { RunnerEnded, RunnerFailed, RunnerLaunch } from './messages.ts';

/** The program of a turn, on pipes that lead to the host. */
export class Program {
  readonly #channel: Socket;
  readonly #launch: RunnerLaunch;
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #exited: Promise<unknown>;
  readonly #closed: Promise<unknown>;
  #stopped = false;
  #ending: Promise<unknown> | null = null;
  /** Resolves when it has ended, and everything that it started, and the host was told. */
  public readonly ended: Promise<void>;

  private constructor(launch: RunnerLaunch, channel: Socket, child: ChildProcessWithoutNullStreams) {
    this.#launch = launch;
    this.#channel = channel;
    this.#child = child;
    this.#exited = once(child, 'exit');
    this.#closed = once(child, 'close');
    // A program need not read its input: then the pipe breaks, which is no failure of ours.
    child.stdin.on('error', () => undefined);
    forward(child.stdout, channel, 'output');
    forward(child.stderr, channel, 'problem');
    this.ended = this.#run();
  }

  /** Starts it and tells the host; null where it could not be started, of which the host is told too. */
  public static async start(launch: RunnerLaunch, channel: Socket): Promise<Program | null> {
    try {
      const child = spawn(launch.program, launch.args, {
        cwd: launch.directory,
        env: launch.environment,
        // A session of its own: what is typed at the terminal reaches the runner alone, and no signal to it reaches us.
        detached: true,
        stdio: 'pipe',
      });
      const spawned = once(child, 'spawn');
      if (child.pid === undefined) await spawned;
      channel.write(encodeFrame('started'));
      return new Program(launch, channel, child);
    } catch (cause) {
      const failed: RunnerFailed = { code: systemErrorCode(cause), message: messageOf(cause) };
      channel.write(encodeJson('failed', failed));
      return null;
    }
  }

  /** What it does not read waits in memory: that is what the host says to it in one turn. */
  public write(bytes: Uint8Array): void {
    if (this.#child.stdin.writable) this.#child.stdin.write(bytes);
  }

  public endInput(): void {
    this.#child.stdin.end();
  }

  /** Ends it and everything that it started. */
  public stop(): void {
    if (this.#stopped) return;
    this.#stopped = true;
    void this.#endTree();
  }

  async #run(): Promise<void> {
    await this.#exited;
    await this.#endTree();
    await this.#readOut();
    const ended: RunnerEnded = { exitCode: this.#child.exitCode, stopped: this.#stopped };
    if (this.#channel.writable) this.#channel.write(encodeJson('ended', ended));
  }

  #endTree(): Promise<unknown> {
    const { mark, graceMs } = this.#launch;
    const root = this.#child.pid;
    if (root === undefined) throw new Error('A program that runs has no number.');
    // All that came of it is younger than this process, which carries no mark itself.
    this.#ending ??= startOf(process.pid).then((start) =>
      endProcesses(belongsTo({ root, mark }), start, systemClock, graceMs),
    );
    return this.#ending;
  }

  /** Waits for the rest of its output, as long as the host takes it; what we may not end can hold the pipes open. */
  async #readOut(): Promise<void> {
    let closed: boolean;
    do {
      closed = await happensWithin(systemClock, this.#launch.graceMs, this.#closed);
    } while (!closed && this.#channel.writableNeedDrain);
    this.#child.stdout.destroy();
    this.#child.stderr.destroy();
  }
}

/** Passes an output on no faster than the host takes it: a flood waits in the program, not in memory. */
function forward(output: Readable, channel: Socket, type: FrameType): void {
  const resume = (): void => {
    output.resume();
  };
  channel.on('drain', resume);
  channel.on('close', resume);
  output.on('data', (chunk: Buffer) => {
    // Without a host there is nobody to tell.
    if (channel.writable && !channel.write(encodeFrame(type, chunk))) output.pause();
  });
}
