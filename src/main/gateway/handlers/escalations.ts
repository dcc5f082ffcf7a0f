import { err, ok } from '../../../shared/kernel/result.ts';
import { isId } from '../../../shared/vocabulary/ids.ts';
import { notFound } from './handler.ts';
import type { HandlerContext, Handlers } from './handler.ts';
import { escalationView, taskView } from './views.ts';

export function escalationHandlers(context: HandlerContext): Handlers<'escalations'> {
  const { store } = context.parts;
  return {
    'escalations.list': () =>
      ok(store.escalations.open().map((escalation) => escalationView(store, escalation))),
    'escalations.answer': ({ escalation: id, answer, text, criteria, dropped, shown }) => {
      const missing = notFound(
        `There is no escalation "${id}".`,
        'List the open ones with `tribune escalations`.',
      );
      if (!isId('escalation', id)) return err(missing);
      const answered = context.requests.answer(id, {
        answer,
        text,
        criteria,
        dropped,
        answeredBy: 'a client of the socket',
        ...(shown === undefined ? {} : { shownHash: shown }),
      });
      if (!answered.ok) return answered;
      const summary = store.views.task(answered.value);
      return summary === null ? err(missing) : ok(taskView(store, summary));
    },
  };
}
