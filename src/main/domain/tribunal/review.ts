import type { CriterionId, FindingId } from '../../../shared/vocabulary/point-ids.ts';
import type { Judgement } from '../../../shared/vocabulary/words.ts';
import { says } from './conditions.ts';
import type { Report, ReportedFinding, TurnEnded } from './event.ts';
import { MAX_PROPOSED_CRITERIA } from './limits.ts';
import type { Criterion, Finding, Task } from './task.ts';

/** Adds what the owner proposes, once: from its first turn that proposes any, before the first review. */
export function withProposedCriteria(task: Task, texts: readonly string[]): Task {
  const proposedBefore = task.criteria.some((criterion) => criterion.source === 'owner');
  return task.criteriaFixed || proposedBefore ? task : addCriteria(task, texts, 'owner');
}

/** A task that goes to its first review without any criterion is judged by the request itself. */
export function withAtLeastOneCriterion(task: Task): Task {
  return task.criteria.length > 0 ? task : addCriteria(task, [task.request], 'message');
}

/** Criteria that a person or the arbiter adds or strikes: they may at any time. A finding against a struck one maps to none. */
export function withDecreedCriteria(
  task: Task,
  source: 'person' | 'arbiter',
  texts: readonly string[],
  dropped: readonly CriterionId[],
): Task {
  const added = addCriteria(task, texts, source);
  const criteria = added.criteria.filter((criterion) => !dropped.includes(criterion.id));
  const findings = task.findings.map((finding) =>
    finding.criterion !== null && dropped.includes(finding.criterion)
      ? { ...finding, criterion: null }
      : finding,
  );
  return { ...added, criteria, findings };
}

/** What a review says of the work, taken into the task: judgements by id, new findings, and (first review) more criteria, which are fixed from then on. */
export function withReview(task: Task, review: TurnEnded): Task {
  const judged = withJudgements(withCompletedCriteria(task, review), review.report.judgements);
  return withFindings({ ...judged, criteriaFixed: true, reviewed: task.content }, review);
}

/** What a review said that is asked again: whatever stood against the work stands until it is judged met. */
export function withReply(task: Task, review: TurnEnded): Task {
  const against = review.report.judgements.filter(({ judgement }) => judgement === 'unmet');
  return withFindings(withJudgements(withCompletedCriteria(task, review), against), review);
}

function withCompletedCriteria(task: Task, review: TurnEnded): Task {
  return task.criteriaFixed ? task : addCriteria(task, review.report.criteria, 'reviewer');
}

/** A review that named no findings and does not approve is itself one: free text, never met, so that its words reach the owner. */
function withFindings(task: Task, review: TurnEnded): Task {
  const reported = review.report.findings.map((finding) => toFinding(task, finding));
  const text = review.text.trim();
  const approves = says(review, 'DONE');
  const found = reported.length > 0 || text === '' || approves ? reported : [freeText(text)];
  return found.reduce(withFinding, task);
}

/** A point that was made before keeps its id, and what an arbiter said of it. */
function withFinding(task: Task, said: Omit<Finding, 'id'>): Task {
  const known = task.findings.find(
    ({ text, place, freeText }) => text === said.text && place === said.place && !freeText && !said.freeText,
  );
  if (known !== undefined) {
    const again: Finding = { ...said, id: known.id, overruled: known.overruled };
    return { ...task, findings: task.findings.map((finding) => (finding === known ? again : finding)) };
  }
  const number = 1 + Math.max(0, ...task.findings.map(({ id }) => Number(id.slice(1))));
  return { ...task, findings: [...task.findings, { id: `F${number}`, ...said }] };
}

/** The findings that an arbiter named are set aside for good. */
export function withOverruled(task: Task, ids: readonly FindingId[]): Task {
  return {
    ...task,
    findings: task.findings.map((finding) =>
      ids.includes(finding.id) ? { ...finding, overruled: true } : finding,
    ),
  };
}

/** A finding blocks only if it maps to a criterion, is unmet and no arbiter has overruled it. */
export function blocks(finding: Finding): boolean {
  return (
    finding.severity === 'blocking' &&
    finding.criterion !== null &&
    finding.judgement === 'unmet' &&
    !finding.overruled
  );
}

/** A criterion holds the work back if it was judged unmet, unless every finding against it is overruled. */
function holdsBack(task: Task, criterion: Criterion): boolean {
  if (criterion.judgement !== 'unmet') return false;
  const against = task.findings.filter(
    (finding) => finding.criterion === criterion.id && finding.judgement === 'unmet',
  );
  return against.length === 0 || against.some((finding) => !finding.overruled);
}

/** Whether anything that the review left stands against DONE. */
export function standsAgainstDone(task: Task): boolean {
  return task.findings.some(blocks) || task.criteria.some((criterion) => holdsBack(task, criterion));
}

/** A round made progress if the snapshot changed, an unmet point became met, and no met one became unmet. */
export function madeProgress(before: Task, after: Task): boolean {
  const snapshotChanged = after.reviewed !== (before.reviewed ?? before.base);
  const earlier = new Map(points(before));
  const changes = points(after).map(([id, now]) => ({ was: earlier.get(id) ?? 'unmet', now }));
  const becameMet = changes.some(({ was, now }) => was === 'unmet' && now === 'met');
  const becameUnmet = changes.some(({ was, now }) => was === 'met' && now === 'unmet');
  return snapshotChanged && becameMet && !becameUnmet;
}

/** Criteria and findings by id, as judged; what nobody judged yet counts as unmet, and free text always does. */
function points(task: Task): [string, Judgement][] {
  const criteria = task.criteria.map((criterion): [string, Judgement] => [
    criterion.id,
    criterion.judgement ?? 'unmet',
  ]);
  const findings = task.findings
    .filter((finding) => !finding.overruled)
    .map((finding): [string, Judgement] => [finding.id, finding.judgement]);
  return [...criteria, ...findings];
}

function addCriteria(task: Task, texts: readonly string[], source: Criterion['source']): Task {
  const proposal = source === 'owner' || source === 'reviewer';
  const proposed = task.criteria.filter(
    (criterion) => criterion.source === 'owner' || criterion.source === 'reviewer',
  ).length;
  const known = new Set(task.criteria.map((criterion) => criterion.text));
  const wanted = [...new Set(texts.map((text) => text.trim()))].filter(
    (text) => text !== '' && !known.has(text),
  );
  const added = proposal ? wanted.slice(0, MAX_PROPOSED_CRITERIA - proposed) : wanted;
  const first = 1 + Math.max(0, ...task.criteria.map((criterion) => Number(criterion.id.slice(1))));
  return {
    ...task,
    criteria: [
      ...task.criteria,
      ...added.map((text, index): Criterion => ({ id: `C${first + index}`, text, source, judgement: null })),
    ],
  };
}

function withJudgements(task: Task, judgements: Report['judgements']): Task {
  const judged = new Map<string, Judgement>(judgements.map(({ id, judgement }) => [id, judgement]));
  return {
    ...task,
    criteria: task.criteria.map((criterion) => ({
      ...criterion,
      judgement: judged.get(criterion.id) ?? criterion.judgement,
    })),
    findings: task.findings.map((finding) =>
      finding.freeText ? finding : { ...finding, judgement: judged.get(finding.id) ?? finding.judgement },
    ),
  };
}

function toFinding(task: Task, reported: ReportedFinding): Omit<Finding, 'id'> {
  const criterion = task.criteria.find(
    ({ id, text }) => id === reported.criterion || text === reported.criterion,
  );
  return {
    criterion: criterion?.id ?? null,
    severity: reported.severity,
    place: reported.place,
    text: reported.text,
    evidence: reported.evidence,
    judgement: 'unmet',
    overruled: false,
    freeText: false,
  };
}

function freeText(text: string): Omit<Finding, 'id'> {
  return {
    criterion: null,
    severity: 'minor',
    place: null,
    text,
    evidence: null,
    judgement: 'unmet',
    overruled: false,
    freeText: true,
  };
}
