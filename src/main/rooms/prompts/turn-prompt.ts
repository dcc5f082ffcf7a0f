import { assertNever } from '../../../shared/kernel/result.ts';
import { clipped } from '../../../shared/kernel/text.ts';
import type { Role, TurnPurpose } from '../../../shared/vocabulary/words.ts';
import { blocks } from '../../domain/tribunal/review.ts';
import type { Criterion, Finding, LiveTurn, Task } from '../../domain/tribunal/task.ts';
import type { NotSeen } from './not-seen.ts';

/** What one earlier turn came to. */
export interface TurnAccount {
  readonly role: Role;
  readonly purpose: TurnPurpose;
  readonly verdict: string | null;
  /** Why no verdict could be read; null where one was. */
  readonly reason: string | null;
  readonly text: string;
}

/** Everything that a turn is told. */
export interface PromptMaterial {
  readonly task: Task;
  readonly turn: LiveTurn;
  /** Null where the prompt is shown to who gives no verdict: a reference model. */
  readonly nonce: string | null;
  /** The words of the messages that the turn answers, the oldest first. */
  readonly messages: readonly string[];
  /** What earlier turns of the task came to, the oldest first. */
  readonly history: readonly TurnAccount[];
  /** The work since the task's base, as text. */
  readonly changes: string;
  /** What of the work the role does not see. */
  readonly notSeen: readonly NotSeen[];
  /** Folders beside the snapshot that are not reviewed. */
  readonly dependencies: readonly string[];
  /** The session holds what its earlier turns were told; else each turn is told everything. */
  readonly remembers: boolean;
  /** An earlier try of this turn was cut off, and its session is lost. */
  readonly startedOver: boolean;
}

/** Most characters of one earlier turn that the arbiter is given, and most turns: its context is bounded. */
const MAX_ARBITER_TURN_CHARACTERS = 4_000;
const ARBITER_TURNS = 12;
/** Most characters of another role's last words. */
const MAX_LAST_WORDS_CHARACTERS = 8_000;

/** The text that a turn begins with. */
export function turnPrompt(material: PromptMaterial): string {
  if (material.turn.ask === null) return join(sectionsOf(material));
  const asked = askAgain(material);
  return material.remembers ? asked : join([...sectionsOf(material), section('Asked again', asked)]);
}

function sectionsOf(material: PromptMaterial): Section[] {
  const { purpose } = material.turn;
  switch (purpose) {
    case 'work':
      return workSections(material);
    case 'finish':
      return finishSections(material);
    case 'review':
      return reviewSections(material);
    case 'arbitrate':
      return arbitrationSections(material);
    default:
      return assertNever(purpose);
  }
}

function workSections(material: PromptMaterial): Section[] {
  const { task, history } = material;
  return [
    section('Request', task.request),
    section('Messages for you', followUps(material).join('\n\n')),
    section('Criteria', criteriaText(task.criteria)),
    section('Ruling of the arbiter, which binds you', task.ruling ?? ''),
    section('Findings to deal with', findingsText(openFindings(task))),
    section('The reviewer', lastWordsOf('reviewer', history)),
    section('Begun before', startedOverText(material)),
    section(
      'This turn',
      task.criteria.some((criterion) => criterion.source === 'owner') || task.criteriaFixed
        ? `Do the work, then end with \`submit_verdict\`. ${nonceText(material.nonce)}`
        : `Do the work, then end with \`submit_verdict\`, proposing one to seven criteria. ${nonceText(material.nonce)}`,
    ),
  ];
}

function finishSections(material: PromptMaterial): Section[] {
  return [
    section('Approved', 'The reviewer approved your work as it is now.'),
    section('Minor points of the review', findingsText(openFindings(material.task))),
    section(
      'This turn',
      `Finish: commit if the project wants commits, tidy up what is outside the work. Leave the content of the work as it is: if it differs afterwards, it is reviewed again. You need not say anything; if you cannot finish, end with \`submit_verdict\`. ${nonceText(material.nonce)}`,
    ),
  ];
}

function reviewSections(material: PromptMaterial): Section[] {
  const { task, history } = material;
  return [
    section('Request', task.request),
    section('Criteria', criteriaText(task.criteria)),
    section('Ruling of the arbiter, within which you confirm', task.ruling ?? ''),
    section('Earlier findings, to judge by id', findingsText(openFindings(task))),
    section('What the owner says', lastWordsOf('owner', history)),
    section('Changes since the task began', material.changes),
    section('Not reviewed', notReviewedText(material)),
    section(
      'This turn',
      `Review the snapshot, then end with \`submit_verdict\`. ${
        task.criteriaFixed ? 'The criteria are fixed.' : 'You may add criteria now, and not later.'
      } ${nonceText(material.nonce)}`,
    ),
  ];
}

function arbitrationSections(material: PromptMaterial): Section[] {
  const { task, history } = material;
  const told = history
    .slice(-ARBITER_TURNS)
    .map(
      (account) =>
        `${account.role} (${account.purpose}): ${account.verdict ?? 'no verdict'}\n${clipped(account.text, MAX_ARBITER_TURN_CHARACTERS)}`,
    );
  return [
    section('Request', task.request),
    section(
      'Why you are called',
      task.arbitrationAfter === 'owner'
        ? 'The owner cannot go on.'
        : 'Owner and reviewer do not come to an end.',
    ),
    section('Criteria', criteriaText(task.criteria)),
    section('Findings', findingsText(openFindings(task))),
    section('Your earlier ruling', task.ruling ?? ''),
    section('What happened', told.join('\n\n')),
    section('Changes since the task began', material.changes),
    section('Not seen', notSeenText(material.notSeen)),
    section(
      'This turn',
      material.nonce === null ? ADVISE : `Rule, with \`submit_verdict\`. ${nonceText(material.nonce)}`,
    ),
  ];
}

function askAgain({ turn, task, nonce, history }: PromptMaterial): string {
  const reason = history.findLast(({ role }) => role === turn.role)?.reason ?? null;
  const why = reason === null ? '' : ` What was found: ${reason}`;
  if (turn.ask === 'decision') {
    return `None of your concerns blocks. Call \`submit_verdict\` once more: either \`DONE\`, or name the criterion that is unmet and the finding that shows it. ${nonceText(nonce)}`;
  }
  if (turn.purpose === 'arbitrate') {
    return `No ruling could be read from your answer.${why} Call \`submit_verdict\` with PROCEED, REVISE, RESET or ESCALATE. ${nonceText(nonce)}`;
  }
  const open = task.findings.filter(blocks).map((finding) => finding.id);
  const still = open.length === 0 ? '' : ` Still open and blocking: ${open.join(', ')}.`;
  return `No verdict could be counted from your answer: there was none that could be read, or more than one, or DONE beside an unmet criterion or a blocking finding.${why}${still} Call \`submit_verdict\` with one verdict, a judgement of every criterion and of every earlier finding, and your findings. ${nonceText(nonce)}`;
}

function followUps({ turn, messages, task }: PromptMaterial): readonly string[] {
  const isRequest = turn.number === 1 && messages[0] === task.request;
  return isRequest ? messages.slice(1) : messages;
}

/** What is still to be dealt with; of free text only the newest, since each review says anew what it thinks. */
function openFindings(task: Task): Finding[] {
  const newestFreeText = task.findings.findLast((finding) => finding.freeText);
  return task.findings.filter(
    (finding) =>
      finding.judgement !== 'met' && !finding.overruled && (!finding.freeText || finding === newestFreeText),
  );
}

function criteriaText(criteria: readonly Criterion[]): string {
  return criteria
    .map((criterion) => `- ${criterion.id}: ${criterion.text} (${criterion.judgement ?? 'not judged yet'})`)
    .join('\n');
}

function findingsText(findings: readonly Finding[]): string {
  return findings
    .map((finding) => {
      const maps = finding.criterion === null ? '' : ` against ${finding.criterion}`;
      const place = finding.place === null ? '' : ` at ${finding.place}`;
      const evidence = finding.evidence === null ? '' : `\n  Evidence: ${finding.evidence}`;
      return `- ${finding.id}, ${finding.severity}${maps}${place}: ${finding.text}${evidence}`;
    })
    .join('\n');
}

function notReviewedText({ notSeen, dependencies }: PromptMaterial): string {
  const beside = dependencies.map((path) => ({ what: path, why: 'a dependency folder, to be read only' }));
  return notSeenText([...notSeen, ...beside]);
}

function notSeenText(notSeen: readonly NotSeen[]): string {
  return notSeen.map(({ what, why }) => `- ${what}: ${why}`).join('\n');
}

function startedOverText({ startedOver, changes }: PromptMaterial): string {
  return startedOver
    ? `An earlier try of this turn was cut off. What it had changed is in the work directory; look before you repeat anything.\n\n${changes}`
    : '';
}

/** What a role said when it was last at work; a turn that was asked again has said more than one thing. */
function lastWordsOf(role: Role, history: readonly TurnAccount[]): string {
  const last = history.findLastIndex((account) => account.role === role);
  const before = history.findLastIndex((account, index) => index < last && account.role !== role);
  const texts = history.slice(before + 1, last + 1).map((account) => account.text);
  return clipped(texts.join('\n\n'), MAX_LAST_WORDS_CHARACTERS);
}

/** What a reference model is asked, which has no tools. */
const ADVISE =
  'The arbiter rules, not you. Say in words how you would rule (PROCEED, REVISE, RESET or ESCALATE), and why.';

function nonceText(nonce: string | null): string {
  return nonce === null ? '' : `The nonce of this turn is ${nonce}.`;
}

type Section = readonly [title: string, text: string];

function section(title: string, text: string): Section {
  return [title, text.trim()];
}

function join(sections: readonly Section[]): string {
  return sections
    .filter(([, text]) => text !== '')
    .map(([title, text]) => `# ${title}\n\n${text}`)
    .join('\n\n');
}
