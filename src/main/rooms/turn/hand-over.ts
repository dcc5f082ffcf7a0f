import type { HandOver, Runner } from '../../domain/fallback/choice.ts';
import { say } from '../saying.ts';
import { timeWords } from '../when.ts';
import type { Try } from './try.ts';

/** Writes down that a turn runs on something else than the role did before, and says so in the room. */
export function recordHandOver({ parts, task, turn, turnId }: Try, { from, to, because }: HandOver): void {
  const { store, clock } = parts;
  const data = {
    role: turn.role,
    from: { engine: from.engine, account: from.account },
    to: { engine: to.engine, account: to.account },
    reason: because?.reason ?? 'its limit has passed',
    until: because?.until ?? null,
  };
  store.events.append({ type: 'turn.handed_over', roomId: task.roomId, taskId: task.id, turnId, data });
  const text =
    because === null
      ? `↩ The ${turn.role} is back on ${runnerWords(to)}.`
      : `⇄ The ${turn.role} goes on with ${runnerWords(to)}: ${runnerWords(from)} is used up until ${timeWords(because.until, clock.now())}.`;
  say(store, task, { role: 'system', text });
}

/** Such as `codex`, or `claude-code (account work)`. */
export function runnerWords({ engine, account }: Runner): string {
  return account === null ? engine : `${engine} (account ${account})`;
}
