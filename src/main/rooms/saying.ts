import type { RoomId, TaskId } from '../../shared/vocabulary/ids.ts';
import type { MessageRole, Role } from '../../shared/vocabulary/words.ts';
import type { ChannelAddress } from '../ports/channel.ts';
import type { Store } from '../store/store.ts';

/** Where a room is spoken to on this machine. */
export function localAddress(roomId: RoomId): ChannelAddress {
  return `local:${roomId}`;
}

/** Says something in a task's room, through the outbox: on the channel that the person last wrote on. */
export function say(
  store: Store,
  task: { readonly id: TaskId; readonly roomId: RoomId },
  said: { readonly role: Exclude<MessageRole, 'human'>; readonly text: string; readonly speaker?: Role },
): void {
  const asked = store.messages.ofTask(task.id).findLast((message) => message.role === 'human');
  const channel = asked?.channel ?? localAddress(task.roomId);
  const message = store.messages.add({
    channel,
    roomId: task.roomId,
    taskId: task.id,
    agentId: said.speaker ?? null,
    sourceAgentId: null,
    type: said.role === 'agent' ? 'agent_message' : 'system',
    role: said.role,
    status: 'pending',
    payload: { text: said.text },
  });
  store.outbox.add(message.id, channel);
}
