import type { Colors } from 'picocolors/types.js';
import type { EventView } from '../../../shared/contract/views.ts';
import type { EventType } from '../../../shared/vocabulary/event-types.ts';
import { endings, SUBMIT_VERDICT, turnPurposes } from '../../../shared/vocabulary/words.ts';
import type { Ending, TaskState, TurnPurpose } from '../../../shared/vocabulary/words.ts';
import { counted } from '../../../shared/kernel/text.ts';
import { EventData } from './event-data.ts';
import {
  clockWords,
  dateWords,
  durationWords,
  indented,
  moneyWords,
  safeText,
  tokenWords,
} from './values.ts';

export interface StoryStyle {
  readonly colours: Colors;
  /** Everything, at full length. */
  readonly verbose: boolean;
}

/** Lines of what an agent says that are shown unless everything is asked for. */
const MAX_SAID_LINES = 12;
const MARGIN = '          ';

type Teller = (data: EventData, style: StoryStyle) => readonly string[];

/** What happened, as lines for a person. Most events are told in one line, some not at all unless `verbose`. */
export function storyOf(event: EventView, style: StoryStyle): string[] {
  const teller = isKnown(event.type) ? tellers[event.type] : style.verbose ? asItIs(event) : silence;
  const [first, ...more] = teller(new EventData(event), style);
  if (first === undefined) return [];
  return [
    `${style.colours.dim(clockWords(event.at))}  ${first}`,
    ...more.map((line) => line && MARGIN + line),
  ];
}

/** A host of another version may tell of other things. */
function isKnown(type: string): type is EventType {
  return Object.hasOwn(tellers, type);
}

const silence: Teller = () => [];

/** Told in one line, and only where everything is asked for. */
function onlyVerbose(words: (data: EventData) => string): Teller {
  return (data, { colours, verbose }) => (verbose ? [colours.dim(words(data))] : []);
}

/** A failure's reason is told whole: it says what to do. */
function failed(what: string): Teller {
  return (data, { colours }) => {
    const [first = '', ...more] = indented(data.text('reason') ?? '', '');
    return [colours.red(first === '' ? `${what}.` : `${what}: ${first}`), ...more];
  };
}

function asItIs(event: EventView): Teller {
  return (_data, { colours }) => [colours.dim(`${event.type} ${safeText(JSON.stringify(event.data))}`)];
}

/** Every event has its teller; what of the host's own bookkeeping a person seldom needs is told with `verbose`. */
const tellers: Readonly<Record<EventType, Teller>> = {
  'host.started': onlyVerbose((data) => `The host has started${bracketed(data.line('version'))}.`),
  'client.refused': failed('A client of the socket was refused'),
  'room.created': onlyVerbose((data) => `The room ${data.line('name') ?? ''} was made.`),
  'room.updated': onlyVerbose((data) => `The room ${data.line('name') ?? ''} has other settings.`),
  // What agents say is told when they say it, and what the host says by the event that it says it of.
  'message.repeated': onlyVerbose(
    (data) => `A message came again, and was taken once: ${data.line('source') ?? ''}`,
  ),
  'message.accepted': onlyVerbose((data) => `Message taken: ${data.line('text') ?? ''}`),
  'message.offered': onlyVerbose(() => 'The message waits for the running turn to take it.'),
  'message.sent': onlyVerbose((data) => `Sent: ${data.line('text') ?? ''}`),
  'message.failed': failed('A message was not sent'),
  'task.started': (data, { colours }) => [colours.bold(`Task started${colon(data.line('title'))}`)],
  'task.decided': decided,
  'task.criteria': criteria,
  'task.findings': findings,
  'task.completed': (data, { colours }) => [endingWords(data.line('ending'), colours)],
  'task.applied': () => ['The approved work was brought into the checkout.'],
  'task.apply_failed': failed('The work was not brought into the checkout'),
  'turn.due': turnDue,
  'turn.started': turnStarted,
  'turn.sealed': sealed,
  'turn.said': said,
  'turn.noticed': (data, { colours }) => [colours.yellow(data.line('text') ?? '')],
  'turn.ended': turnEnded,
  'turn.failed': failed('The turn failed'),
  'tool.started': onlyVerbose((data) => `▸ ${toolWords(data)}`),
  'tool.ended': toolEnded,
  'call.recorded': onlyVerbose(callWords),
  'verdict.read': verdictRead,
  'turn.handed_over': handedOver,
  'turn.not_seen': notSeen,
  'engine.exhausted': (data, { colours }) => [
    colours.yellow(`${runnerWords(data)} is used up${untilWords(data)}${colon(data.line('reason'))}`),
  ],
  'room.waits': (data, { colours }) => [
    colours.yellow(`${who(data)} waits${untilWords(data)}, when ${runnerWords(data)} can be used again.`),
  ],
  'budget.reached': (data, { colours }) => [
    colours.yellow(`The budget is used up${colon(data.line('limit'))}`),
  ],
  'escalation.asked': (data, { colours }) => [colours.yellow(`A person is asked${colon(data.line('text'))}`)],
  'escalation.closed': (_data, { colours }) => [colours.dim('The question is closed.')],
  'content.kept': onlyVerbose(() => 'The work is kept as a snapshot.'),
  'content.lost': failed('The work could not be kept'),
  'place.removed': onlyVerbose(() => "The task's worktree is gone; its work is kept."),
  'place.left': failed("The task's worktree is still there"),
  'gate.refused': (data, { colours }) => [
    colours.yellow(`An agent was turned away${colon(data.line('message'))}`),
  ],
  'gate.uncounted': (data, { colours }) => [
    colours.yellow(`A call was not counted${colon(data.line('message'))}`),
  ],
  'gate.defect': failed('A request of an agent failed'),
  'seal.noticed': (data, { colours }) => [colours.dim(`Containers${colon(data.line('text'))}`)],
  'event.ignored': onlyVerbose((data) => `Nothing follows${colon(data.line('event'))}`),
  'job.failed': failed('The host failed at its work'),
};

/** How the names of the rules end by which a reviewer or an arbiter has to say it once more. */
const ASKED_AGAIN = /^(.+): asked once( for it| to decide)?$/;

/** Why an agent's word did not count is told: nothing else says it. */
function decided(data: EventData, { colours, verbose }: StoryStyle): string[] {
  const rule = data.line('rule');
  const why = ASKED_AGAIN.exec(rule ?? '')?.[1];
  if (why !== undefined) {
    const whom = data.line('from') === ('in_arbitration' satisfies TaskState) ? 'arbiter' : 'reviewer';
    return [colours.yellow(`The ${whom} is asked again: ${why}.`)];
  }
  return verbose ? [colours.dim(`Decided${colon(rule)}`)] : [];
}

function turnStarted(data: EventData, { colours }: StoryStyle): string[] {
  const purpose = turnPurposes.find((known) => known === data.line('purpose'));
  const attempt = data.number('attempt') ?? 1;
  const engine = [data.line('engine'), data.line('model')].filter((part) => part !== null).join(' ');
  const how = [engine, ...(attempt > 1 ? [`try ${attempt}`] : [])].filter((part) => part !== '').join(', ');
  const does = purpose === undefined ? 'starts' : purposeWords[purpose];
  return [colours.bold(`${who(data)} ${does}`) + colours.dim(bracketed(how))];
}

const purposeWords: Record<TurnPurpose, string> = {
  work: 'works',
  finish: 'finishes',
  review: 'reviews',
  arbitrate: 'arbitrates',
};

/** Why something is used up was told when it was. */
function handedOver(data: EventData, { colours }: StoryStyle): string[] {
  const [to, from] = [runnerWords(data.record('to')), runnerWords(data.record('from'))];
  const why =
    data.number('until') === null ? colon(data.line('reason')) : `, which is used up${untilWords(data)}.`;
  return [colours.yellow(`${who(data)} goes on with ${to}, not ${from}${why}`)];
}

/** A container held where every attempt to get out of it failed. */
function sealed(data: EventData, { colours, verbose }: StoryStyle): string[] {
  const attempts = data.records('attempts');
  const held = attempts.filter((attempt) => attempt.flag('held') === true).length;
  const where = verbose ? (data.line('container') ?? 'a container') : 'a container';
  return [colours.dim(`Sealed in ${where}: ${held} of ${attempts.length} attempts to get out failed.`)];
}

function said(data: EventData, { colours, verbose }: StoryStyle): string[] {
  const lines = indented(data.text('text') ?? '', '').filter(
    (line, at, all) => line !== '' || all[at - 1] !== '',
  );
  if (lines.every((line) => line === '')) return [];
  const shown = verbose ? lines : lines.slice(0, MAX_SAID_LINES);
  const left = lines.length - shown.length;
  const more = left === 0 ? [] : [colours.dim(`… ${counted(left, 'more line')} (--verbose shows all)`)];
  return [...shown.map((line) => (line === '' ? '' : `│ ${line}`)), ...more];
}

/** What was done, and what came of it. A verdict that was taken is told as such. */
function toolEnded(data: EventData, { colours, verbose }: StoryStyle): string[] {
  const ok = data.flag('ok') !== false;
  if (ok && !verbose && data.line('tool') === SUBMIT_VERDICT) return [];
  const mark = ok ? colours.green('✓') : colours.red('✗');
  const what = data.line('call') ?? data.line('tool') ?? 'a tool';
  return [`${mark} ${what}${colours.dim(bracketed(data.line('summary')))}`];
}

function toolWords(data: EventData): string {
  return [data.line('tool') ?? 'a tool', data.line('summary')].filter((part) => part !== null).join(' ');
}

function verdictRead(data: EventData, { colours, verbose }: StoryStyle): string[] {
  const verdict = data.line('verdict');
  // An owner need not give one.
  if (verdict === null && data.line('role') === 'owner' && !verbose) return [];
  if (verdict === null) return [colours.yellow(`No verdict could be read${colon(data.line('reason'))}`)];
  return verbose ? [colours.dim(`Verdict ${verdict}${bracketed(data.line('via'))}`)] : [];
}

function turnEnded(data: EventData, { colours }: StoryStyle): string[] {
  const verdict = data.line('verdict');
  const summary = data.line('summary');
  const words = verdict === null ? 'has ended' : `says ${verdictWords(verdict, colours)}`;
  return [`${colours.bold(who(data))} ${words}${summary === null ? '' : `: ${summary}`}`];
}

function verdictWords(verdict: string, colours: Colors): string {
  return verdict === 'DONE' || verdict === 'PROCEED' ? colours.green(verdict) : colours.yellow(verdict);
}

function turnDue(data: EventData, { colours, verbose }: StoryStyle): string[] {
  const afterMs = data.number('afterMs') ?? 0;
  if (afterMs > 0) return [colours.yellow(`${who(data)} tries again in ${durationWords(afterMs)}.`)];
  return verbose ? [colours.dim(`${who(data)} is next${bracketed(data.line('purpose'))}`)] : [];
}

/** Such as `codex`, or `claude-code (account work)`. */
function runnerWords(data: EventData): string {
  const account = data.line('account');
  return `${data.line('engine') ?? 'an engine'}${account === null ? '' : ` (account ${account})`}`;
}

function untilWords(data: EventData): string {
  const until = data.number('until');
  return until === null ? '' : ` until ${dateWords(until)}`;
}

/** What a role could not see is told: it bounds what its word is worth. */
function notSeen(data: EventData, { colours }: StoryStyle): string[] {
  const parts = data.records('parts');
  const lines = parts.map((part) => `  ${part.line('what') ?? 'something'}${bracketed(part.line('why'))}`);
  return [`${who(data)} does not see everything:`, ...lines].map((line) => colours.dim(line));
}

function callWords(data: EventData): string {
  const figures = [tokenWords(data.number('tokens') ?? 0), moneyWords(data.number('usd'))];
  return `${data.line('model') ?? 'A model'} answered: ${figures.join(', ')}`;
}

function criteria(data: EventData, { colours }: StoryStyle): string[] {
  return data.records('criteria').map((criterion) => {
    const name = colours.dim(`criterion ${criterion.line('id') ?? ''}`);
    return `${name} ${criterion.line('text') ?? ''}`;
  });
}

function findings(data: EventData, { colours }: StoryStyle): string[] {
  return data.records('added').map((finding) => {
    const severity = finding.line('severity') ?? '';
    const name = `finding ${finding.line('id') ?? ''} ${severity}`.trim();
    const place = [finding.line('criterion'), finding.line('place')].filter((part) => part !== null);
    const where = place.length === 0 ? '' : `${place.join(' ')}: `;
    const styled = severity === 'blocking' ? colours.red(name) : colours.dim(name);
    return `${styled} ${where}${finding.line('text') ?? ''}`;
  });
}

/** How a task ended, in words. */
export function endingWords(ending: string | null, colours: Colors): string {
  const known = endings.find((name) => name === ending);
  if (known === undefined) return 'The task has ended.';
  const words = endingSentences[known];
  return known === 'stopped' || known === 'superseded' ? colours.yellow(words) : colours.green(words);
}

const endingSentences: Record<Ending, string> = {
  reviewed: 'Done, reviewed.',
  unreviewed: 'Done, unreviewed.',
  accepted: 'Done, accepted by a person.',
  stopped: 'Stopped.',
  superseded: 'Superseded: a newer message took its place.',
};

function who(data: EventData): string {
  const role = data.line('role') ?? 'an agent';
  return role.charAt(0).toUpperCase() + role.slice(1);
}

function colon(text: string | null): string {
  return text === null || text === '' ? '.' : `: ${text}`;
}

function bracketed(text: string | null): string {
  return text === null || text === '' ? '' : ` (${text})`;
}
