import { err, ok } from '../../../shared/kernel/result.ts';
import type { Result } from '../../../shared/kernel/result.ts';
import type { Service } from '../../../shared/contract/service.ts';
import type { EventView } from '../../../shared/contract/views.ts';
import type { CallOf } from '../call.ts';
import type { Context } from '../context.ts';
import { exitCodes } from '../exit-codes.ts';
import type { ExitCode } from '../exit-codes.ts';
import { storyOf } from '../rendering/story.ts';
import { withHost } from '../session.ts';
import { findTask } from '../short-ids.ts';

/** Events that are asked for at once. */
const PAGE = 1_000;

interface Filter {
  readonly room?: string;
  readonly task?: string;
}

/** Prints what happened, and with `follow` what happens. */
export function events(call: CallOf<'events'>, context: Context): Promise<ExitCode> {
  return withHost(context, call.follow ? 'running' : 'look', async ({ service }) => {
    const filter = await filterOf(service, call);
    if (!filter.ok) return filter;
    return call.follow
      ? follow(service, filter.value, call, context)
      : print(service, filter.value, call, context);
  });
}

async function filterOf(service: Service, { room, task }: CallOf<'events'>): Promise<Result<Filter>> {
  const named = room === null ? {} : { room };
  if (task === null) return ok(named);
  const id = await findTask(service, task);
  return id.ok ? ok({ ...named, task: id.value }) : id;
}

async function print(
  service: Service,
  filter: Filter,
  call: CallOf<'events'>,
  { screen }: Context,
): Promise<Result<ExitCode>> {
  const all: EventView[] = [];
  let after = call.after ?? 0;
  for (;;) {
    const page = await service.call('events.since', { ...filter, after, limit: PAGE });
    if (!page.ok) return page;
    all.push(...page.value);
    after = page.value.at(-1)?.seq ?? after;
    if (page.value.length < PAGE) break;
  }
  screen.result(all, () => all.flatMap((event) => linesOf(event, screen)));
  return ok(exitCodes.done);
}

function follow(
  service: Service,
  filter: Filter,
  { after }: CallOf<'events'>,
  { screen, interruption }: Context,
): Promise<Result<ExitCode>> {
  if (interruption.aborted) return Promise.resolve(ok(exitCodes.interrupted));
  return new Promise((resolve) => {
    const unfollow = service.follow(
      after === null ? filter : { ...filter, after },
      (item) => {
        if ('event' in item) screen.result(item.event, () => linesOf(item.event, screen));
      },
      (reason) => {
        resolve(
          err({ tag: 'connection_lost', message: `The events cannot be followed any more: ${reason}` }),
        );
      },
    );
    interruption.addEventListener('abort', () => {
      unfollow();
      resolve(ok(exitCodes.interrupted));
    });
  });
}

/** An event with its place in the log, by which `--after` knows it. */
function linesOf(event: EventView, { colours }: Context['screen']): string[] {
  const place = String(event.seq).padStart(6);
  const [first = '', ...more] = storyOf(event, { colours, verbose: true });
  return [
    `${colours.dim(place)}  ${first}`,
    ...more.map((line) => (line === '' ? '' : `${' '.repeat(8)}${line}`)),
  ];
}
