import type { Colors } from 'picocolors/types.js';
import type { EventView } from '../../../shared/contract/views.ts';
import { endings, turnPurposes } from '../../../shared/vocabulary/words.ts';
import type { Ending, TurnPurpose } from '../../../shared/vocabulary/words.ts';
import { EventData } from './event-data.ts';
import {
  clockWords,
  countWords,
  durationWords,
  indented,
  moneyWords,
  oneLine,
  safeText,
  tokenWords,
} from './words.ts';

export interface StoryStyle {
  readonly colours: Colors;
  /** Everything, at full length. */
  readonly verbose: boolean;
}

/** Lines of what an agent says that are shown unless everything is asked for. */
const SAID_LINES = 12;
const SUMMARY_CHARACTERS = 160;
const MARGIN = '           ';

type Teller = (data: EventData, style: StoryStyle) => readonly string[];

/** What happened, as lines for a person. Most events are told in one line, some not at all unless `verbose`. */
export function storyOf(event: EventView, style: StoryStyle): string[] {
  const teller = tellers.get(event.type) ?? (style.verbose ? asItIs(event) : silence);
  const [first, ...more] = teller(new EventData(event), style);
  if (first === undefined) return [];
  return [
    `${style.colours.dim(clockWords(event.at))}  ${first}`,
    ...more.map((line) => line && MARGIN + line),
  ];
}

const silence: Teller = () => [];

/** Told in one line, and only where everything is asked for. */
function onlyVerbose(words: (data: EventData) => string): Teller {
  return (data, { colours, verbose }) => (verbose ? [colours.dim(words(data))] : []);
}

function asItIs(event: EventView): Teller {
  return (_data, { colours }) => [colours.dim(`${event.type} ${safeText(JSON.stringify(event.data))}`)];
}

const tellers = new Map<string, Teller>([
  ['task.started', (data, { colours }) => [colours.bold(`Task started${colon(data.text('title'))}`)]],
  ['task.findings', findings],
  ['task.criteria', criteria],
  ['task.completed', (data, { colours }) => [endingWords(data.text('ending'), colours)]],
  ['task.applied', () => ['The approved work was brought into the checkout.']],
  ['turn.due', turnDue],
  ['turn.started', turnStarted],
  ['turn.said', said],
  ['turn.noticed', (data, { colours }) => [colours.yellow(short(data.text('text')))]],
  ['turn.ended', turnEnded],
  ['turn.failed', (data, { colours }) => [colours.red(`The turn failed${colon(data.text('reason'))}`)]],
  ['tool.started', onlyVerbose((data) => `▸ ${toolWords(data)}`)],
  ['tool.ended', toolEnded],
  ['verdict.read', verdictRead],
  ['call.recorded', onlyVerbose(callWords)],
  [
    'budget.reached',
    (data, { colours }) => [colours.yellow(`The budget is used up${colon(data.text('limit'))}`)],
  ],
  ['escalation.asked', asked],
  ['escalation.closed', (_data, { colours }) => [colours.dim('The question is closed.')]],
  // What agents say is told when they say it, and what the host says by the event that it says it of.
  ['message.sent', onlyVerbose((data) => `Sent: ${short(data.text('text'))}`)],
  ['message.accepted', onlyVerbose((data) => `Message taken: ${short(data.text('text'))}`)],
  [
    'message.failed',
    (data, { colours }) => [colours.red(`A message was not sent${colon(data.text('reason'))}`)],
  ],
  [
    'content.lost',
    (data, { colours }) => [colours.red(`The work could not be kept${colon(data.text('reason'))}`)],
  ],
  [
    'job.failed',
    (data, { colours }) => [colours.red(`The host failed at its work${colon(data.text('reason'))}`)],
  ],
]);

function turnStarted(data: EventData, { colours }: StoryStyle): string[] {
  const purpose = turnPurposes.find((known) => known === data.text('purpose'));
  const attempt = data.number('attempt') ?? 1;
  const engine = [data.text('engine'), data.text('model')].filter((part) => part !== null).join(' ');
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

function said(data: EventData, { colours, verbose }: StoryStyle): string[] {
  const lines = indented(data.text('text') ?? '', '').filter(
    (line, at, all) => line !== '' || all[at - 1] !== '',
  );
  if (lines.every((line) => line === '')) return [];
  const shown = verbose ? lines : lines.slice(0, SAID_LINES);
  const left = lines.length - shown.length;
  const more = left === 0 ? [] : [colours.dim(`… ${countWords(left, 'more line')} (--verbose shows all)`)];
  return [...shown.map((line) => (line === '' ? '' : `│ ${line}`)), ...more];
}

function toolEnded(data: EventData, { colours }: StoryStyle): string[] {
  const mark = data.flag('ok') === false ? colours.red('✗') : colours.green('✓');
  return [`${mark} ${toolWords(data)}`];
}

function toolWords(data: EventData): string {
  const summary = data.text('summary');
  return [
    data.text('tool') ?? 'a tool',
    ...(summary === null ? [] : [oneLine(summary, SUMMARY_CHARACTERS)]),
  ].join(' ');
}

function verdictRead(data: EventData, { colours, verbose }: StoryStyle): string[] {
  const verdict = data.text('verdict');
  if (verdict === null) return [colours.yellow(`No verdict could be read${colon(data.text('reason'))}`)];
  return verbose ? [colours.dim(`Verdict ${verdict}${bracketed(data.text('via'))}`)] : [];
}

function turnEnded(data: EventData, { colours }: StoryStyle): string[] {
  const verdict = data.text('verdict');
  const summary = data.text('summary');
  const words = verdict === null ? 'has ended' : `says ${verdictWords(verdict, colours)}`;
  return [`${colours.bold(who(data))} ${words}${summary === null ? '' : `: ${short(summary)}`}`];
}

function verdictWords(verdict: string, colours: Colors): string {
  return verdict === 'DONE' || verdict === 'PROCEED' ? colours.green(verdict) : colours.yellow(verdict);
}

function turnDue(data: EventData, { colours, verbose }: StoryStyle): string[] {
  const afterMs = data.number('afterMs') ?? 0;
  if (afterMs > 0) return [colours.yellow(`${who(data)} tries again in ${durationWords(afterMs)}.`)];
  return verbose ? [colours.dim(`${who(data)} is next${bracketed(data.text('purpose'))}`)] : [];
}

function callWords(data: EventData): string {
  const figures = [tokenWords(data.number('tokens') ?? 0), moneyWords(data.number('usd'))];
  return `${data.text('model') ?? 'A model'} answered: ${figures.join(', ')}`;
}

function asked(data: EventData, { colours }: StoryStyle): string[] {
  return [colours.yellow('A person is asked.'), ...indented(data.text('text') ?? '', '')];
}

function criteria(data: EventData, { colours }: StoryStyle): string[] {
  return data.records('criteria').map((criterion) => {
    const name = colours.dim(`criterion ${safeText(criterion.text('id') ?? '')}`);
    return `${name} ${short(criterion.text('text'))}`;
  });
}

function findings(data: EventData, { colours }: StoryStyle): string[] {
  return data.records('added').map((finding) => {
    const severity = finding.text('severity') ?? '';
    const name = safeText(`finding ${finding.text('id') ?? ''} ${severity}`).trim();
    const place = [finding.text('criterion'), finding.text('place')].filter((part) => part !== null);
    const where = place.length === 0 ? '' : `${safeText(place.join(' '))}: `;
    const styled = severity === 'blocking' ? colours.red(name) : colours.dim(name);
    return `${styled} ${where}${short(finding.text('text'))}`;
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
  const role = data.text('role') ?? 'an agent';
  return role.charAt(0).toUpperCase() + role.slice(1);
}

function short(text: string | null): string {
  return oneLine(text ?? '', SUMMARY_CHARACTERS);
}

function colon(text: string | null): string {
  return text === null || text === '' ? '.' : `: ${short(text)}`;
}

function bracketed(text: string | null): string {
  return text === null || text === '' ? '' : ` (${safeText(text)})`;
}
