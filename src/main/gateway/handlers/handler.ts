import type { MethodInput, MethodName, MethodOutput } from '../../../shared/contract/contract.ts';
import { err, ok } from '../../../shared/kernel/result.ts';
import type { Failure, Result } from '../../../shared/kernel/result.ts';
import { isId } from '../../../shared/vocabulary/ids.ts';
import type { Task } from '../../domain/tribunal/task.ts';
import type { Applies } from '../../rooms/applies.ts';
import type { Parts } from '../../rooms/parts.ts';
import type { Requests } from '../../rooms/requests.ts';
import type { Room } from '../../store/rooms.ts';

/** What handlers work with. */
export interface HandlerContext {
  readonly parts: Parts;
  readonly requests: Requests;
  readonly applies: Applies;
  /** Who asks, in words for the record. */
  readonly client: string;
}

/** The methods of one slice of the contract: `rooms.list`, `rooms.create`, … */
export type Handlers<Slice extends string> = {
  readonly [N in Extract<MethodName, `${Slice}.${string}`>]: (
    input: MethodInput<N>,
  ) => Promise<Result<MethodOutput<N>>> | Result<MethodOutput<N>>;
};

/** The room of this name or id. */
export function findRoom({ parts }: HandlerContext, nameOrId: string): Result<Room> {
  const room = parts.store.rooms.find(nameOrId);
  return room === null
    ? err(notFound(`There is no room "${nameOrId}".`, 'List them with `tribune rooms`.'))
    : ok(room);
}

/** The task of this id. */
export function findTask({ parts }: HandlerContext, id: string): Result<Task> {
  const task = isId('task', id) ? parts.store.tasks.load(id) : null;
  return task === null
    ? err(notFound(`There is no task "${id}".`, 'List them with `tribune tasks`.'))
    : ok(task);
}

function notFound(message: string, next: string): Failure {
  return { tag: 'not_found', message, next };
}
