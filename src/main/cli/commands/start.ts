import type { Context } from '../context.ts';
import { exitCodes } from '../exit-codes.ts';
import type { ExitCode } from '../exit-codes.ts';

/** Runs the host until it is interrupted. */
export async function start(context: Context): Promise<ExitCode> {
  const { screen, dataDirectory, environment, interruption } = context;
  const host = await context.openHost({ dataDirectory, environment, work: true });
  if (!host.ok) {
    screen.fail(host.failure);
    return exitCodes.noHost;
  }
  const { socketPath } = host.value;
  screen.result({ dataDirectory, socketPath, pid: process.pid }, () => [
    `The host is running on ${dataDirectory}.`,
    screen.colours.dim(`It listens at ${socketPath}. Ctrl-C ends it.`),
  ]);
  await new Promise<void>((resolve) => {
    if (interruption.aborted) resolve();
    interruption.addEventListener('abort', () => {
      resolve();
    });
  });
  screen.tell(['Ending: what runs now goes on with the next host.']);
  const problems = await host.value.close();
  screen.tell(problems.map((problem) => screen.colours.yellow(problem)));
  return problems.length === 0 ? exitCodes.done : exitCodes.failed;
}
