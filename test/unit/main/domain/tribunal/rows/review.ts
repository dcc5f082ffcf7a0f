import { describe, expect, test } from 'vitest';
import { blocks } from '../../../../../../src/main/domain/tribunal/review.ts';
import { defect, Trial } from '../../../../../support/trial.ts';

const toOwner =
  'concerns or feedback: the owner; after 3 rounds without progress the arbiter; without one, or the third time, a person';

function inReview(terms: ConstructorParameters<typeof Trial>[0] = {}): Trial {
  return new Trial(terms, { criteria: ['It handles zero.', 'It is documented.'] }).worked();
}

export function reviewRows(): void {
  describe('review without a readable verdict', () => {
    const row = 'review without a readable verdict: asked once for it';

    test('the same session is asked once for `submit_verdict`; then it is feedback', () => {
      const trial = inReview().ends(null, { text: 'Zero is not handled.' }).follows(row);
      expect(trial.task.state).toBe('review_ready');
      expect(trial.turn).toMatchObject({
        purpose: 'review',
        ask: 'verdict',
        session: 'continue',
        attempt: 1,
      });
      trial.ends(null, { text: 'As I said.' }).follows(toOwner);
      expect(trial.task).toMatchObject({ state: 'active', counters: { rounds: 1 } });
      expect(trial.task.findings).toMatchObject([{ text: 'Zero is not handled.' }, { text: 'As I said.' }]);
    });

    test('the answer to that counts', () => {
      inReview().ends(null).ends('DONE').follows('review DONE: merge_ready, one finishing turn');
    });

    test('the next review may be asked again', () => {
      inReview().ends(null).ends(null).worked().ends(null).follows(row);
    });
  });

  describe('review: DONE with a criterion unmet or a blocking finding open', () => {
    const row = 'review DONE against its own criteria or findings: asked once';
    const blocking = { findings: [{ criterion: 'C1', text: 'Zero is not handled.' }] };

    test.each([
      ['a criterion unmet', { judged: { C1: 'unmet' } }],
      ['a blocking finding', blocking],
    ] as const)('%s: asked once; then it is feedback', (_, parts) => {
      const trial = inReview().ends('DONE', parts).follows(row);
      expect(trial.turn.ask).toBe('verdict');
      expect(trial.task.approved).toBeNull();
      trial.ends('DONE', parts).follows(toOwner);
      expect(trial.task).toMatchObject({ state: 'active', approved: null });
    });

    test('what stood against the work stands, where the answer is a bare word', () => {
      inReview()
        .ends('DONE', { judged: { C1: 'unmet' } })
        .ends('DONE')
        .follows(toOwner);
      inReview().ends('DONE', blocking).ends('DONE').follows(toOwner);
    });

    test('DONE counts once it is judged met, or said again as minor', () => {
      const done = 'review DONE: merge_ready, one finishing turn';
      inReview()
        .ends('DONE', { judged: { C1: 'unmet' } })
        .ends('DONE', { judged: { C1: 'met' } })
        .follows(done);
      inReview()
        .ends('DONE', blocking)
        .ends('DONE', { judged: { F1: 'met' } })
        .follows(done);
      const minor = {
        findings: [{ criterion: 'C1', text: 'Zero is not handled.', severity: 'minor' }],
      } as const;
      const trial = inReview().ends('DONE', blocking).ends('DONE', minor).follows(done);
      expect(trial.task.findings).toMatchObject([{ id: 'F1', severity: 'minor' }]);
    });

    test('an earlier finding is open until a review judges it met by its id', () => {
      const trial = inReview().ends('DONE_WITH_CONCERNS', blocking).worked();
      trial.ends('DONE').follows(row).ends('DONE').follows(toOwner);
      trial
        .worked()
        .ends('DONE', { judged: { F1: 'met' } })
        .follows('review DONE: merge_ready, one finishing turn');
    });
  });

  test('two different verdict calls are none that can be read', () => {
    const trial = inReview().starts();
    const event = trial.ending(null, { findings: [{ criterion: 'C1' }], judged: { C1: 'unmet' } });
    trial.happens({ ...event, reading: { kind: 'none', reason: 'two different verdicts' } });
    trial.follows('review without a readable verdict: asked once for it');
    expect(trial.task.findings).toHaveLength(1);
  });

  describe('review: DONE', () => {
    test('merge_ready with that snapshot as the approved one; the owner gets one finishing turn', () => {
      const trial = inReview().ends('DONE', { judged: { C1: 'met', C2: 'met' } });
      trial.follows('review DONE: merge_ready, one finishing turn');
      expect(trial.task).toMatchObject({ state: 'merge_ready', approved: 'snap_1', content: 'snap_1' });
      expect(trial.turn).toMatchObject({ role: 'owner', purpose: 'finish', phase: 'due' });
      expect(trial.starts().task.state).toBe('merge_ready');
    });

    test.each([
      ['it maps to no criterion', { findings: [{ criterion: null }] }],
      ['it maps to a criterion that there is not', { findings: [{ criterion: 'C9' }] }],
      ['it is minor', { findings: [{ criterion: 'C1', severity: 'minor' }] }],
      ['a criterion cannot be verified', { judged: { C1: 'unverifiable' } }],
    ] as const)('a finding does not block where %s', (_, parts) => {
      inReview().ends('DONE', parts).follows('review DONE: merge_ready, one finishing turn');
    });

    test('a finding maps to a criterion by id or by its words', () => {
      const trial = inReview().ends('DONE_WITH_CONCERNS', {
        findings: [
          { criterion: 'C1', text: 'a' },
          { criterion: 'It is documented.', text: 'b' },
        ],
      });
      expect(trial.task.findings.map(({ id, criterion }) => [id, criterion])).toEqual([
        ['F1', 'C1'],
        ['F2', 'C2'],
      ]);
      expect(trial.task.findings.every(blocks)).toBe(true);
    });
  });

  describe('review: DONE_WITH_CONCERNS of which none blocks', () => {
    const row = 'review with concerns of which none blocks: asked once to decide';
    const minor = { findings: [{ criterion: 'C1', severity: 'minor', text: 'A typo.' }] } as const;

    test('asked once to say DONE or name the unmet criterion: DONE', () => {
      const trial = inReview().ends('DONE_WITH_CONCERNS', minor).follows(row);
      expect(trial.turn).toMatchObject({ purpose: 'review', ask: 'decision', session: 'continue' });
      trial.ends('DONE').follows('review DONE: merge_ready, one finishing turn');
      expect(trial.task.findings).toMatchObject([{ text: 'A typo.' }]);
    });

    test('… or the criterion is named', () => {
      const trial = inReview()
        .ends('DONE_WITH_CONCERNS', minor)
        .ends('DONE_WITH_CONCERNS', defect)
        .follows(toOwner);
      expect(trial.task.findings).toMatchObject([{ text: 'A typo.' }, { text: 'Zero is not handled.' }]);
    });

    test('… else it goes to the owner, with what was found', () => {
      const trial = inReview().ends('DONE_WITH_CONCERNS', minor).ends('DONE_WITH_CONCERNS').follows(toOwner);
      expect(trial.task).toMatchObject({ state: 'active', findings: [{ text: 'A typo.' }] });
    });

    test('the decision may itself be asked for once more where it cannot be read', () => {
      const trial = inReview().ends('DONE_WITH_CONCERNS', minor).ends(null);
      trial.follows('review without a readable verdict: asked once for it').ends(null).follows(toOwner);
    });
  });

  describe('review: DONE_WITH_CONCERNS, or feedback', () => {
    test("the owner's turn with the findings", () => {
      const trial = inReview().ends('DONE_WITH_CONCERNS', defect).follows(toOwner);
      expect(trial.task).toMatchObject({
        state: 'active',
        counters: { rounds: 1, roundsWithoutProgress: 1 },
        findings: [{ id: 'F1', criterion: 'C1', judgement: 'unmet' }],
        criteria: [{ judgement: 'unmet' }, { judgement: null }],
      });
    });

    test('3 rounds without progress: the arbiter', () => {
      const trial = inReview().ends('DONE_WITH_CONCERNS', defect).sentBack(1);
      expect(trial.task.state).toBe('active');
      trial.sentBack(1).follows(toOwner);
      expect(trial.task).toMatchObject({ state: 'arbiter_requested', arbitrationAfter: 'review' });
      expect(trial.turn).toMatchObject({ purpose: 'arbitrate', session: 'fresh' });
    });

    test('3 rounds without progress, no arbiter: a person', () => {
      const trial = new Trial({ hasArbiter: false }).sentBack(3).follows(toOwner);
      expect(trial.question).toMatchObject({
        kind: 'deadlock',
        snapshot: 'snap_3',
        back: { state: 'active' },
      });
    });

    test('free text is one finding that is never met, and never blocks', () => {
      const text = 'Zero is not handled.\n\nAnd there are no docs.';
      const trial = inReview()
        .ends('DONE_WITH_CONCERNS', { text })
        .ends('DONE_WITH_CONCERNS', { text: 'No.' });
      expect(trial.task.findings).toMatchObject([
        { id: 'F1', text, freeText: true, judgement: 'unmet' },
        { text: 'No.' },
      ]);
      trial.worked().ends('DONE', { judged: { F1: 'met', C1: 'met' } });
      expect(trial.task).toMatchObject({ state: 'merge_ready', findings: [{ judgement: 'unmet' }, {}] });
      expect(trial.task.findings.some(blocks)).toBe(false);
    });
  });

  describe('review: BLOCKED / NEEDS_CONTEXT', () => {
    const row = 'review BLOCKED or NEEDS_CONTEXT: the arbiter; without one, or the third time, a person';

    test.each(['BLOCKED', 'NEEDS_CONTEXT'] as const)('%s: the arbiter, or a person', (says) => {
      const trial = inReview().ends(says).follows(row);
      expect(trial.task).toMatchObject({ state: 'arbiter_requested', arbitrationAfter: 'review' });
      const alone = inReview({ hasArbiter: false }).ends(says).follows(row);
      expect(alone.question).toMatchObject({ kind: 'blocked', snapshot: 'snap_1' });
    });
  });
}
