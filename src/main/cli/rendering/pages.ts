import type { Colors } from 'picocolors/types.js';
import type {
  CheckView,
  EscalationView,
  RoomView,
  TaskDetail,
  TaskView,
  TurnView,
} from '../../../shared/contract/views.ts';
import { counted } from '../../../shared/kernel/text.ts';
import type { EngineSettings } from '../../../shared/contract/room.ts';
import type { Judgement } from '../../../shared/vocabulary/words.ts';
import { endingWords } from './story.ts';
import { answerCommands } from './questions.ts';
import {
  dateWords,
  durationWords,
  indented,
  moneyWords,
  oneLine,
  safeText,
  shortId,
  tokenWords,
} from './values.ts';

/** What the commands that look at something print for people. */

const MINUTE_MS = 60_000;
const MAX_TITLE_CHARACTERS = 60;

export function roomLines(rooms: readonly RoomView[], colours: Colors): string[] {
  if (rooms.length === 0) return ['No rooms yet. Make one with `tribune run --dir DIRECTORY "…"`.'];
  const rows = rooms.map(({ settings, openTask }) => [
    settings.name,
    settings.mode,
    engineWords(settings.roles.owner),
    openTask === null ? '-' : shortId(openTask),
    settings.directory,
  ]);
  return table(['ROOM', 'MODE', 'OWNER', 'OPEN TASK', 'DIRECTORY'], rows, colours);
}

export function taskLines(tasks: readonly TaskView[], colours: Colors): string[] {
  if (tasks.length === 0) return ['No tasks.'];
  const rows = tasks.map((task) => [
    shortId(task.id),
    task.room,
    stateWords(task),
    String(task.rounds),
    moneyWords(task.spent.usd),
    dateWords(task.startedAt),
    oneLine(task.title, MAX_TITLE_CHARACTERS),
  ]);
  return table(['TASK', 'ROOM', 'STATE', 'ROUNDS', 'COST', 'STARTED', 'TITLE'], rows, colours);
}

export function taskPage(detail: TaskDetail, colours: Colors): string[] {
  const { task } = detail;
  const { criteria, findings, turns, changes } = detail;
  return [
    colours.bold(oneLine(task.title, 200)),
    `${task.id} in room ${task.room}, started ${dateWords(task.startedAt)} by ${task.origin === 'message' ? 'a message' : `an ${task.origin}`}`,
    `${stateWords(task)} · ${spendingWords(task)} · ${counted(task.rounds, 'round')}`,
    ...section('Request', indented(detail.request), colours),
    ...section(
      'Criteria',
      criteria.map(
        ({ id, text, judgement, source }) =>
          `  ${mark(judgement, colours)} ${id} ${safeText(text)} ${colours.dim(`(${source})`)}`,
      ),
      colours,
    ),
    ...section(
      'Findings',
      findings.map(({ id, criterion, severity, place, text, judgement, overruled }) => {
        const where = [criterion, place].filter((part) => part !== null).join(' ');
        const name = [id, severity, where].filter((part) => part !== '').join(' ');
        return `  ${mark(judgement, colours)} ${name}: ${oneLine(text, 200)}${overruled ? colours.dim(' (overruled)') : ''}`;
      }),
      colours,
    ),
    ...section('Ruling', detail.ruling === null ? [] : indented(detail.ruling), colours),
    ...section('Turns', turns.map(turnLine), colours),
    ...section(
      'Changes',
      changes.map(({ path, previousPath, change, binary, additions, deletions }) => {
        const name = previousPath === null ? path : `${previousPath} → ${path}`;
        const counts = binary ? 'binary' : `+${additions} −${deletions}`;
        return `  ${change} ${oneLine(name, 200)} ${colours.dim(counts)}`;
      }),
      colours,
    ),
    ...section(
      'Left out, because they look like secrets',
      detail.leftOut.map((path) => `  ${oneLine(path, 200)}`),
      colours,
    ),
    ...section(
      'Waits for a person',
      detail.escalation === null ? [] : questionPage(detail.escalation, colours),
      colours,
    ),
    ...nextStep(detail),
  ];
}

/** How a followed task ended: what came of it, and the next step. */
export function endPage(detail: TaskDetail, colours: Colors): string[] {
  const { task, changes } = detail;
  const additions = changes.reduce((sum, change) => sum + change.additions, 0);
  const deletions = changes.reduce((sum, change) => sum + change.deletions, 0);
  const changed =
    changes.length === 0
      ? 'nothing changed'
      : `${counted(changes.length, 'file')} changed (+${additions} −${deletions})`;
  return [
    '',
    `${endingWords(task.ending, colours)} ${counted(task.rounds, 'round')}, ${changed}, ${spendingWords(task)}.`,
    ...nextStep(detail),
  ];
}

export function escalationLines(escalations: readonly EscalationView[], colours: Colors): string[] {
  if (escalations.length === 0) return ['Nothing waits for a person.'];
  return escalations.flatMap((escalation, at) => [
    ...(at === 0 ? [] : ['']),
    ...questionPage(escalation, colours),
  ]);
}

/** A question with the commands that answer it. */
export function questionPage(escalation: EscalationView, colours: Colors): string[] {
  const { title, room, task, askedAt, text } = escalation;
  return [
    colours.yellow(oneLine(title, 200)),
    colours.dim(`room ${room}, task ${shortId(task)}, asked ${dateWords(askedAt)}`),
    ...indented(text),
    'Answer with one of:',
    ...answerCommands(escalation).map((command) => `  ${colours.cyan(command)}`),
  ];
}

export function checkLines(checks: readonly CheckView[], colours: Colors): string[] {
  return checks.flatMap(({ name, ok, required, says }) => {
    const sign = ok ? colours.green('✓') : required ? colours.red('✗') : colours.yellow('–');
    const [first = '', ...more] = indented(says, '    ');
    return [`${sign} ${safeText(name)}: ${first.trim()}`, ...more];
  });
}

function turnLine(turn: TurnView): string {
  const how = [turn.verdict ?? turn.status, ...(turn.attempts > 1 ? [`${turn.attempts} tries`] : [])];
  const figures = [
    durationWords(turn.spent.minutes * MINUTE_MS),
    tokenWords(turn.spent.tokens),
    moneyWords(turn.spent.usd),
  ];
  return `  ${turn.number} ${turn.role} ${turn.purpose}: ${[...how, ...figures].join(', ')}`;
}

function nextStep({ task, applicable, standsOn }: TaskDetail): string[] {
  if (!applicable) return [];
  const along = standsOn.map(
    ({ title, ending }) => `  also: ${oneLine(title, 200)} (${ending ?? 'not ended'})`,
  );
  return [
    `Bring it into your checkout with: tribune apply ${task.id}`,
    ...(along.length === 0
      ? []
      : ['It stands on work that is not applied yet, which comes along:', ...along]),
  ];
}

function stateWords(task: TaskView): string {
  const state = task.ending ?? task.state.replaceAll('_', ' ');
  return task.waitsUntil === null ? state : `${state}, waits until ${dateWords(task.waitsUntil)}`;
}

function spendingWords({ spent }: TaskView): string {
  return [durationWords(spent.minutes * MINUTE_MS), tokenWords(spent.tokens), moneyWords(spent.usd)].join(
    ', ',
  );
}

function engineWords(settings: EngineSettings | undefined): string {
  if (settings === undefined) return 'default';
  const what = settings.command?.join(' ') ?? settings.model;
  return what === null ? settings.engine : oneLine(`${settings.engine}:${what}`, 40);
}

function mark(judgement: Judgement | null, colours: Colors): string {
  if (judgement === null) return colours.dim('·');
  const marks: Record<Judgement, string> = {
    met: colours.green('✓'),
    unmet: colours.red('✗'),
    unverifiable: colours.yellow('?'),
  };
  return marks[judgement];
}

function section(title: string, lines: readonly string[], colours: Colors): string[] {
  return lines.length === 0 ? [] : ['', colours.bold(title), ...lines];
}

/** Columns under a heading; the last one is not padded. */
function table(heading: readonly string[], rows: readonly (readonly string[])[], colours: Colors): string[] {
  const widths = heading.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, column) => (column === cells.length - 1 ? cell : cell.padEnd(widths[column] ?? 0)))
      .join('  ');
  return [colours.dim(line(heading)), ...rows.map(line)];
}
