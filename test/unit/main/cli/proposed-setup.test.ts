import pico from 'picocolors';
import { expect, it } from 'vitest';
import { withProposedSetup } from '../../../../src/main/cli/commands/proposed-setup.ts';
import type { Context } from '../../../../src/main/cli/context.ts';
import { Screen } from '../../../../src/main/cli/screen.ts';
import { err, ok } from '../../../../src/shared/kernel/result.ts';
import { FakeService } from '../../../support/fake-service.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

const proposed = { setup: 'npm ci', dependency: ['node_modules'] };

/** The flags that come of what a person types, line by line, until they close the terminal; and how often they were asked. */
async function asking(typed: readonly string[]) {
  const service = new FakeService();
  service.on('rooms.propose', () => ok({ setup: 'npm ci', dependencies: ['node_modules'] }));
  let asked = 0;
  const streams = { out: () => undefined, problems: () => undefined, columns: () => 80 };
  const context: Context = {
    environment: {},
    directory: '/',
    dataDirectory: '/nowhere',
    clock: new ManualClock(),
    pause: () => Promise.resolve(),
    screen: new Screen(streams, pico.createColors(false), false),
    person: {
      atTerminal: true,
      read: () => Promise.resolve(''),
      ask: () => Promise.resolve(typed[asked++] ?? null),
    },
    interruption: new AbortController().signal,
    openHost: () => Promise.resolve(err({ tag: 'no_host', message: 'No host was opened.' })),
  };
  return { flags: await withProposedSetup(service, {}, '/shop', context), asked };
}

it.each([
  ['nothing', [''], proposed, 1],
  ['yes', ['Yes'], proposed, 1],
  ['no', ['n'], {}, 1],
  ['something else, and then yes', ['yy', 'maybe', 'y'], proposed, 3],
  ['something else, and then no', ['q', ' NO '], {}, 2],
  ['nothing more', [], {}, 1],
])('takes %s for an answer', async (_name, typed, flags, asked) => {
  expect(await asking(typed)).toEqual({ flags, asked });
});
