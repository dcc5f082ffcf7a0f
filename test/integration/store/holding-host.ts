/**
 * A host in a process of its own, for tests that kill it: opens the store of the directory given, then appends
 * events for as long as it lives and says on standard output which are durable.
 */
import { systemClock } from '../../../src/shared/kernel/clock.ts';
import { ulidsBy } from '../../../src/main/store/new-id.ts';
import { openStore } from '../../../src/main/store/open-store.ts';

const [directory] = process.argv.slice(2);
if (directory === undefined) throw new Error('No directory was given.');
const opened = openStore({
  directory,
  clock: systemClock,
  newId: ulidsBy(systemClock),
  bootId: 'holding-host',
});
if (!opened.ok) throw new Error(opened.failure.message);
const store = opened.value;

function appendOne(): void {
  const { seq } = store.events.append({ type: 'turn.said', data: {} });
  process.stdout.write(`${seq}\n`);
  setImmediate(appendOne);
}
appendOne();
