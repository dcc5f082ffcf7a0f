import { err, ok } from '../../shared/kernel/result.ts';
import type { Result } from '../../shared/kernel/result.ts';
import type { Service } from '../../shared/contract/service.ts';
import { isId } from '../../shared/vocabulary/ids.ts';

/** Fewer characters would name too many. */
const MIN_CHARACTERS = 4;

/** Most tasks among which a shortened id is looked for; older ones are named by their whole id. */
const MAX_TASKS = 1_000;

/** The id of a task from the whole of it, or from its end. */
export async function findTask(service: Service, text: string): Promise<Result<string>> {
  if (isId('task', text)) return ok(text);
  const tasks = await service.call('tasks.list', { limit: MAX_TASKS });
  if (!tasks.ok) return tasks;
  return idEndingIn(
    text,
    tasks.value.map(({ id }) => id),
    'task',
    'tribune tasks',
  );
}

/** The id of an escalation from the whole of it, or from its end. */
export async function findEscalation(service: Service, text: string): Promise<Result<string>> {
  if (isId('escalation', text)) return ok(text);
  const escalations = await service.call('escalations.list', {});
  if (!escalations.ok) return escalations;
  return idEndingIn(
    text,
    escalations.value.map(({ id }) => id),
    'open escalation',
    'tribune escalations',
  );
}

/** The one id that ends in a text; upper and lower case are the same. */
export function idEndingIn(text: string, ids: readonly string[], noun: string, list: string): Result<string> {
  const ending = text.toUpperCase();
  const found = ids.filter(
    (id) => id === text || (text.length >= MIN_CHARACTERS && id.toUpperCase().endsWith(ending)),
  );
  const [only, ...others] = found;
  if (only === undefined) {
    return err({ tag: 'not_found', message: `There is no ${noun} "${text}".`, next: `See \`${list}\`.` });
  }
  if (others.length > 0) {
    const names = found.join(', ');
    return err({
      tag: 'usage',
      message: `"${text}" could be any of ${names}.`,
      next: 'Give more of the id.',
    });
  }
  return ok(only);
}
