import { blocksOf } from '../fakes/messages-server/protocol.ts';
import type { MessagesRequest } from '../fakes/messages-server/protocol.ts';
import { calls, says } from '../fakes/messages-server/script.ts';
import type { Reply, Script } from '../fakes/messages-server/script.ts';
import { appending, effects, longCommand, requests, waitingFor, words } from './script.ts';
import type { LineOnce } from './script.ts';

/**
 * A model that knows nothing but the request in front of it: asked the same again, it answers the same, and in a
 * session that goes on it finds out from the conversation how far it had come. Told that it is not known whether a
 * command was carried out, it looks before it repeats it.
 */
export function carefulModel(goFile: string): Script {
  return (request) => {
    const scene = sceneOf(request);
    return act(scene, planFor(scene, goFile));
  };
}

interface Call {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** Null while it is unanswered. */
  readonly result: string | null;
}

/** What the conversation says that matters. */
interface Scene {
  readonly role: 'owner' | 'reviewer' | 'arbiter';
  /** What the whole conversation is about: all that it was told. */
  readonly told: string;
  /** What this turn is about: its prompt and what was said to it since. */
  readonly toldNow: string;
  /** The calls of this turn. */
  readonly calls: readonly Call[];
  readonly nonce: string;
}

/** A thing to do. What must not happen twice leaves a line by which it is known. */
interface Action {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly leaves?: LineOnce;
}

function sceneOf(request: MessagesRequest): Scene {
  const texts: string[] = [];
  let now: string[] = [];
  let made: { id: string; tool: string; input: Readonly<Record<string, unknown>>; result: string | null }[] =
    [];
  for (const message of request.messages) {
    for (const block of blocksOf(message)) {
      if (block.type === 'tool_use') {
        made.push({ id: block.id, tool: block.name, input: block.input, result: null });
      } else if (block.type === 'tool_result') {
        const call = made.find(({ id }) => id === block.tool_use_id);
        if (call !== undefined) call.result = JSON.stringify(block.content);
      } else if (block.type === 'text' && message.role === 'user') {
        // A prompt begins with the title of its first section; everything else is said within a turn.
        if (block.text.startsWith('# ')) [now, made] = [[], []];
        now.push(block.text);
        texts.push(block.text);
      }
    }
  }
  const told = texts.join('\n');
  const nonce = [...told.matchAll(/nonce (?:of this turn )?is (\w+)\./g)].at(-1)?.[1];
  if (nonce === undefined) throw new Error('The conversation carries no nonce.');
  return { role: roleIn(request), told, toldNow: now.join('\n'), calls: made, nonce };
}

function roleIn({ system }: MessagesRequest): Scene['role'] {
  const text = JSON.stringify(system);
  for (const role of ['owner', 'reviewer', 'arbiter'] as const) {
    if (text.includes(`You are the ${role} in a Tribune room`)) return role;
  }
  throw new Error('The request does not say who it is for.');
}

function planFor(scene: Scene, goFile: string): readonly Action[] {
  switch (scene.role) {
    case 'owner':
      return ownersPlan(scene, goFile);
    case 'reviewer':
      return [reviewersVerdict(scene)];
    case 'arbiter':
      return [arbitersVerdict(scene)];
  }
}

function ownersPlan({ told, toldNow, nonce }: Scene, goFile: string): readonly Action[] {
  const finishing = toldNow.includes('# Approved');
  const done = submit({ verdict: 'DONE', nonce, summary: 'I did it, and saw it work.' });
  const blocked = submit({ verdict: 'BLOCKED', nonce, summary: 'I cannot go on.' });
  if (told.includes(requests.settled)) {
    if (finishing) return [];
    if (toldNow.includes(words.answer)) return [append(effects.third), done];
    if (toldNow.includes(words.ruling)) return [append(effects.second), blocked];
    if (toldNow.includes('# Findings to deal with')) return [blocked];
    return [append(effects.first), { ...done, input: { ...done.input, criteria: ['The log is whole.'] } }];
  }
  if (told.includes(requests.stopped)) return [append(effects.begun), run(longCommand), done];
  if (told.includes(requests.superseded)) {
    return finishing ? [run(longCommand)] : [write('hello.txt', 'hello\n'), done];
  }
  if (finishing) return [];
  const heard = toldNow.includes(words.followUp) ? [append(effects.untilSoon)] : [];
  return toldNow.includes('# Messages for you')
    ? [...heard, done]
    : [run(waitingFor(goFile)), append(effects.goodbye), ...heard, done];
}

function reviewersVerdict({ told, toldNow, nonce }: Scene): Action {
  const again = toldNow.includes('# Earlier findings');
  if (told.includes(requests.settled) && !again) {
    const finding = {
      criterion: 'C1',
      severity: 'blocking',
      place: 'log.txt:1',
      text: 'One line is no log.',
    };
    const judgements = [{ id: 'C1', judgement: 'unmet' }];
    return submit({
      verdict: 'DONE_WITH_CONCERNS',
      nonce,
      findings: [finding],
      judgements,
      summary: 'Not yet.',
    });
  }
  const judgements = ['C1', ...(again ? ['F1'] : [])].map((id) => ({ id, judgement: 'met' }));
  return submit({ verdict: 'DONE', nonce, judgements, summary: 'All criteria are met.' });
}

function arbitersVerdict({ toldNow, nonce }: Scene): Action {
  return toldNow.includes('# Your earlier ruling')
    ? submit({ verdict: 'ESCALATE', nonce, summary: 'A person has to say what is wanted.' })
    : submit({ verdict: 'RESET', nonce, summary: words.ruling });
}

/** The first thing of the plan that has not been done, as far as the conversation tells. */
function act({ calls: made }: Scene, plan: readonly Action[]): Reply {
  let next = 0;
  let inDoubt = false;
  for (const call of made) {
    const action = plan[next];
    if (action === undefined) break;
    if (inDoubt && call.tool === 'read_file') {
      inDoubt = false;
      if (action.leaves !== undefined && (call.result ?? '').includes(action.leaves.line)) next += 1;
    } else if (isUnknown(call.result)) {
      inDoubt = action.leaves !== undefined;
    } else {
      next += 1;
    }
  }
  const action = plan[next];
  if (action === undefined) return says('There is nothing left to do.');
  if (inDoubt && action.leaves !== undefined) return calls('read_file', { path: action.leaves.path });
  return calls(action.tool, action.input);
}

/** What an agent is told of a call whose end the host did not see. */
function isUnknown(result: string | null): boolean {
  return result === null || /not known whether it was carried out|no result was kept/.test(result);
}

function append(line: LineOnce): Action {
  return { ...run(appending(line)), leaves: line };
}

function run(command: string): Action {
  return { tool: 'run_command', input: { command } };
}

function write(path: string, text: string): Action {
  return { tool: 'write_file', input: { path, text } };
}

function submit(input: Readonly<Record<string, unknown>>): Action {
  return { tool: 'submit_verdict', input };
}
