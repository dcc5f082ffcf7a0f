import { assertNever } from '../../shared/kernel/result.ts';
import type { Call } from './call.ts';
import type { Context } from './context.ts';
import type { ExitCode } from './exit-codes.ts';

/** Does what a command line asks for. Each command is loaded only when it is used, so that help is quick. */
export async function carryOut(call: Call, context: Context): Promise<ExitCode> {
  switch (call.command) {
    case 'run':
      return (await import('./commands/run.ts')).run(call, context);
    case 'send':
      return (await import('./commands/send.ts')).send(call, context);
    case 'answer':
      return (await import('./commands/answer.ts')).answer(call, context);
    case 'start':
      return (await import('./commands/start.ts')).start(context);
    case 'rooms':
      return (await import('./commands/rooms.ts')).listRooms(context);
    case 'set-room':
      return (await import('./commands/rooms.ts')).setRoom(call, context);
    case 'tasks':
      return (await import('./commands/tasks.ts')).listTasks(call, context);
    case 'show':
      return (await import('./commands/tasks.ts')).showTask(call, context);
    case 'apply':
      return (await import('./commands/tasks.ts')).applyTask(call, context);
    case 'stop':
      return (await import('./commands/tasks.ts')).stopTask(call, context);
    case 'escalations':
      return (await import('./commands/escalations.ts')).listEscalations(context);
    case 'events':
      return (await import('./commands/events.ts')).events(call, context);
    case 'verdict':
      return (await import('./commands/verdict.ts')).verdict(call, context);
    case 'build-image':
      return (await import('./commands/image.ts')).buildImage(call, context);
    case 'doctor':
      return (await import('./commands/doctor.ts')).doctor(context);
    default:
      return assertNever(call);
  }
}
