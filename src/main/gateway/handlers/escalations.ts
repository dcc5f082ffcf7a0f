import { err, ok } from '../../../shared/kernel/result.ts';
import { isId } from '../../../shared/vocabulary/ids.ts';
import { unknownEscalation } from '../../store/escalations.ts';
import type { HandlerContext, Handlers } from './handler.ts';
import { escalationView, taskView } from './views.ts';

export function escalationHandlers(context: HandlerContext): Handlers<'escalations'> {
  const { store } = context.parts;
  return {
    'escalations.list': () =>
      ok(store.escalations.open().map((escalation) => escalationView(store, escalation))),
    'escalations.answer': ({ escalation: id, answer, text, criteria, dropped, shown }) => {
      if (!isId('escalation', id)) return err(unknownEscalation(id));
      const answered = context.requests.answer(id, {
        answer,
        text,
        criteria,
        dropped,
        answeredBy: context.client,
        ...(shown === undefined ? {} : { shownHash: shown }),
      });
      return answered.ok ? ok(taskView(store, answered.value)) : answered;
    },
  };
}
