import { methods } from '../../shared/contract/contract.ts';
import type { MethodInput, MethodName, MethodOutput } from '../../shared/contract/contract.ts';
import type { Service } from '../../shared/contract/service.ts';
import { badParams } from '../../shared/contract/wire.ts';
import { describeIssues } from '../../shared/kernel/issues.ts';
import { describeFailure, err } from '../../shared/kernel/result.ts';
import type { Result } from '../../shared/kernel/result.ts';
import { escalationHandlers } from './handlers/escalations.ts';
import { eventHandlers, followEvents } from './handlers/events.ts';
import type { HandlerContext, Handlers } from './handlers/handler.ts';
import { messageHandlers } from './handlers/messages.ts';
import { roomHandlers } from './handlers/rooms.ts';
import { taskHandlers } from './handlers/tasks.ts';

type AllHandlers = {
  readonly [N in MethodName]: (
    input: MethodInput<N>,
  ) => Promise<Result<MethodOutput<N>>> | Result<MethodOutput<N>>;
};

/** The host as its clients see it. Every way in goes through here, and both ends' data is parsed. */
export function createService(context: HandlerContext, host: Handlers<'host'>): Service {
  const handlers: AllHandlers = {
    ...host,
    ...roomHandlers(context),
    ...messageHandlers(context),
    ...taskHandlers(context),
    ...escalationHandlers(context),
    ...eventHandlers(context),
  };
  return {
    async call(name, input) {
      const parsed = methods[name].input.safeParse(input);
      if (!parsed.success) return err(badParams(name, describeIssues(parsed.error)));
      // The schema of this very method has just made the input.
      return handlers[name](parsed.data as MethodInput<typeof name>);
    },
    follow(input, onItem, onEnd) {
      const following = followEvents(context, input, onItem);
      if (following.ok) return following.value;
      onEnd(describeFailure(following.failure));
      return () => undefined;
    },
  };
}
