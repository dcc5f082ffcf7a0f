import { createConnection } from 'node:net';
import { FrameReader, type Frame } from './frames.ts';
import { launchSchema, readBody } from './messages.ts';
import { Program } from './program.ts';

/**
 * The child of a turn's terminal: `node turn-runner.js <address>`. It starts the turn's program on pipes, carries
 * its streams over a channel to the host at this address, and puts what the host says on the terminal. Whoever ends
 * the terminal, types Ctrl-C in it, signals this process, or kills the host, ends the program and all that it started.
 */
const address = process.argv[2];
if (address === undefined) throw new Error('A turn runner is started by the host, with an address.');

/** Ctrl-C, as a terminal in raw mode gives it. */
const CTRL_C = 0x03;

let program: Promise<Program | null> | null = null;
const frames = new FrameReader();
const channel = createConnection(address);
channel.on('data', (chunk) => {
  const whole = frames.push(chunk);
  if (whole === null) throw new Error('What the host says is cut wrongly.');
  for (const frame of whole) take(frame);
});
// The host has heard everything, or it is gone: 'close' follows on whatever went wrong.
channel.on('error', () => undefined);
channel.on('close', () => void leave());

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void stop());
// In raw mode nothing that is typed is echoed, and Ctrl-S does not hold the program up.
if (process.stdin.isTTY) process.stdin.setRawMode(true);
process.stdin.on('data', (typed: Buffer) => {
  if (typed.includes(CTRL_C)) void stop();
});
// A terminal that was closed has nobody who watches; its SIGHUP is heard above.
process.stdin.on('error', () => undefined);
process.stdout.on('error', () => undefined);

function take({ type, body }: Frame): void {
  switch (type) {
    case 'launch': {
      const launch = readBody(launchSchema, body);
      if (launch === null) throw new Error('The host says nothing that can be started.');
      program = Program.start(launch, channel);
      break;
    }
    case 'input':
      void program?.then((running) => running?.write(body));
      break;
    case 'input_end':
      void program?.then((running) => running?.endInput());
      break;
    case 'show':
      process.stdout.write(body);
      break;
    case 'started':
    case 'failed':
    case 'output':
    case 'problem':
    case 'ended':
      throw new Error(`A host does not say "${type}".`);
  }
}

/** Ends the program; the host is told of it, and then lets this process go. */
async function stop(): Promise<void> {
  const running = await program;
  if (running === null) process.exit();
  running.stop();
}

async function leave(): Promise<void> {
  const running = await program;
  running?.stop();
  await running?.ended;
  process.exit();
}
