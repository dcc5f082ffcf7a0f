import { blocksOf, textOf } from '../fakes/messages-server/protocol.ts';
import type { MessagesRequest } from '../fakes/messages-server/protocol.ts';
import { calls, fails, says } from '../fakes/messages-server/script.ts';
import type { ErrorReply, MessageReply, Reply, Script } from '../fakes/messages-server/script.ts';
import { roles } from '../../src/shared/vocabulary/words.ts';
import type { Role, Verdict } from '../../src/shared/vocabulary/words.ts';

/** A request as a role's script sees it. */
export interface RoleCall {
  readonly role: Role;
  /** The nonce of the turn that asks. */
  readonly nonce: string;
  /** What the turn was told when it began. */
  readonly prompt: string;
  /** All that the conversation holds so far. */
  readonly conversation: string;
  /** What has come since the last reply: a prompt, results of tools, notes. */
  readonly newest: string;
  readonly request: MessagesRequest;
}

/** One reply of a role. */
export type Step = (call: RoleCall) => Reply | Promise<Reply>;

export type RoleScripts = Readonly<Partial<Record<Role, readonly Step[]>>>;

/** Models that answer by role, each step of a role's script once and in order. */
export interface ScriptedRoles {
  readonly script: Script;
  /** Every request, in the order in which they came. */
  readonly calls: readonly RoleCall[];
  callsOf(role: Role): readonly RoleCall[];
  /** What a script was asked and does not have, and steps that nothing asked for; a test wants none. */
  readonly problems: readonly string[];
}

/** The roles of one room, or of several: then `scripts` says whose request it is. */
export function scriptRoles(scripts: RoleScripts | ((call: RoleCall) => RoleScripts)): ScriptedRoles {
  const seen: RoleCall[] = [];
  const unexpected: string[] = [];
  const taken = new Map<readonly Step[], number>();
  if (typeof scripts !== 'function') {
    for (const steps of Object.values(scripts)) taken.set(steps, 0);
  }
  return {
    calls: seen,
    callsOf: (role) => seen.filter((call) => call.role === role),
    get problems() {
      const unused = [...taken].filter(([steps, used]) => used < steps.length);
      return [
        ...unexpected,
        ...unused.map(([steps, used]) => `${steps.length - used} steps of a script were never asked for.`),
      ];
    },
    script(request) {
      const call = readCall(request);
      seen.push(call);
      const steps = (typeof scripts === 'function' ? scripts(call) : scripts)[call.role] ?? [];
      const used = taken.get(steps) ?? 0;
      taken.set(steps, used + 1);
      const step = steps[used];
      if (step !== undefined) return step(call);
      taken.set(steps, used);
      const problem = `The ${call.role}'s script has ${steps.length} steps, and was asked once more:\n${call.newest}`;
      unexpected.push(problem);
      return fails(400, 'invalid_request_error', problem);
    },
  };
}

function readCall(request: MessagesRequest): RoleCall {
  const system = JSON.stringify(request.system ?? '');
  const role = roles.find((known) => system.includes(`You are the ${known}`));
  if (role === undefined) throw new Error(`No role can be told from the system prompt: ${system}`);
  const conversation = request.messages.map(textOf).join('\n');
  const nonce = [...conversation.matchAll(/nonce (?:of this turn )?is (\w+)\./g)].at(-1)?.[1] ?? 'none';
  const prompt = request.messages
    .filter((message) => message.role === 'user')
    .map(textOf)
    .findLast((text) => /nonce of this turn is/.test(text));
  const last = request.messages.at(-1);
  return {
    role,
    nonce,
    prompt: prompt ?? '',
    conversation,
    newest: last === undefined ? '' : textOf(last),
    request,
  };
}

/** Names of the tools that a request offers. */
export function toolsOf({ request }: RoleCall): readonly string[] {
  return (request.tools ?? []).map(({ name }) => name);
}

/** Whether a request marks anything as an error of a tool. */
export function toolErrorsOf({ request }: RoleCall): number {
  return request.messages.flatMap(blocksOf).filter((block) => block.type === 'tool_result' && block.is_error)
    .length;
}

export function writes(path: string, text: string, over: Partial<MessageReply> = {}): Step {
  return () => calls('write_file', { path, text }, over);
}

export function runs(command: string): Step {
  return () => calls('run_command', { command });
}

export function lists(path: string): Step {
  return () => calls('list_files', { path });
}

export function reads(path: string, over: Partial<MessageReply> = {}): Step {
  return () => calls('read_file', { path }, over);
}

/** A verdict through the tool, with the nonce of the turn that is asked. */
export function submits(
  verdict: Verdict,
  details: Readonly<Record<string, unknown>> = {},
  over: Partial<MessageReply> = {},
): Step {
  return ({ nonce }) =>
    calls('submit_verdict', { verdict, nonce, summary: `I say ${verdict}.`, ...details }, over);
}

/** A reply in words alone. */
export function speaks(text: string, over: Partial<MessageReply> = {}): Step {
  return () => says(text, over);
}

/** The API refuses the call. */
export function refuses(
  status: number,
  type: string,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): Step {
  return (): ErrorReply => fails(status, type, message, headers);
}

/** Does something while the model thinks, then replies. */
export function after(work: (call: RoleCall) => unknown, step: Step): Step {
  return async (call) => {
    await work(call);
    return step(call);
  };
}

/** Something that a test lets happen when it wants to. */
export interface Gate {
  readonly opened: Promise<void>;
  /** Resolves when somebody waits at it. */
  readonly reached: Promise<void>;
  open(): void;
  /** For `after`: waits until the gate is opened. */
  readonly pass: () => Promise<void>;
}

export function gate(): Gate {
  let open = (): void => undefined;
  let arrive = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  const reached = new Promise<void>((resolve) => (arrive = resolve));
  return {
    opened,
    reached,
    open: () => {
      open();
    },
    pass: () => {
      arrive();
      return opened;
    },
  };
}
