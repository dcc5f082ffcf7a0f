import type { FollowItem } from '../../../shared/contract/contract.ts';
import type { SpendingView, TurnView } from '../../../shared/contract/views.ts';
import { EventData } from './event-data.ts';
import { durationWords, moneyWords, oneLine, safeText, tokenWords } from './values.ts';

/** What the status line says of a task that is being worked on. */
export interface Progress {
  /** Whose turn runs; null between turns. */
  readonly role: string | null;
  /** The last thing that it did or said. */
  readonly doing: string;
  readonly turnStartedAt: number;
  readonly tokens: number;
  /** US dollars; null where the price of a call is not known. */
  readonly usd: number | null;
}

const SEPARATOR = ' · ';

/** How far a task is that may have been worked on before it was looked at. */
export function progressFrom(
  { tokens, usd }: SpendingView,
  turns: readonly Pick<TurnView, 'role' | 'status' | 'startedAt'>[],
  now: number,
): Progress {
  const running = turns.findLast(({ status }) => status === 'running');
  return running === undefined
    ? { role: null, doing: 'waiting', turnStartedAt: now, tokens, usd }
    : { role: running.role, doing: 'working', turnStartedAt: running.startedAt ?? now, tokens, usd };
}

/** The progress after something that happened or is happening. */
export function progressAfter(progress: Progress, item: FollowItem): Progress {
  if ('live' in item) {
    const data = new EventData(item.live);
    return doing(progress, lastLine(data.text('text') ?? data.text('data')));
  }
  const { event } = item;
  const data = new EventData(event);
  switch (event.type) {
    case 'turn.started':
      return { ...progress, role: data.text('role'), doing: 'thinking', turnStartedAt: event.at };
    case 'turn.said':
      return doing(progress, lastLine(data.text('text')));
    case 'tool.started':
      return doing(
        progress,
        [data.text('tool'), data.text('summary')].filter((part) => part !== null).join(' '),
      );
    case 'call.recorded': {
      const usd = data.number('usd');
      return {
        ...progress,
        tokens: progress.tokens + (data.number('tokens') ?? 0),
        usd: progress.usd === null || usd === null ? null : progress.usd + usd,
      };
    }
    case 'turn.failed':
    case 'engine.exhausted':
    case 'turn.ended':
      return { ...progress, role: null, doing: 'waiting', turnStartedAt: event.at };
    default:
      return progress;
  }
}

/** One line that fits into a number of columns; what is being done gives way first. */
export function progressLine(progress: Progress, now: number, columns: number): string {
  const figures = [
    durationWords(now - progress.turnStartedAt),
    tokenWords(progress.tokens),
    moneyWords(progress.usd),
  ];
  const rest = [progress.role ?? 'between turns', '', ...figures].join(SEPARATOR).length;
  const activity = oneLine(progress.doing, Math.max(8, columns - rest));
  return oneLine([progress.role ?? 'between turns', activity, ...figures].join(SEPARATOR), columns);
}

function doing(progress: Progress, what: string): Progress {
  return what === '' ? progress : { ...progress, doing: what };
}

function lastLine(text: string | null): string {
  const lines = safeText(text ?? '').split('\n');
  return (lines.findLast((line) => line.trim() !== '') ?? '').trim();
}
