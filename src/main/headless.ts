import { main } from './cli/main.ts';

/** Node's entry: the host without a screen, as `tribune start` runs it. */
process.exitCode = await main(['start', ...process.argv.slice(2)]);
