import { describe, expect, test } from 'vitest';
import { msg, Trial } from '../../../../../support/trial.ts';

const proceedOwner = 'arbiter PROCEED after an owner was blocked: the owner, under the ruling';
const proceedReview = 'arbiter PROCEED after a review: the reviewer confirms within the ruling';
const reset = 'arbiter RESET: worktree back to the base, a fresh owner';
const resetDirectly = 'arbiter RESET in a directory worked in directly: a person confirms';

export function arbitrationRows(): void {
  describe('arbiter: PROCEED', () => {
    test("after an owner's BLOCKED: the owner's turn under the ruling", () => {
      const trial = new Trial()
        .blocked()
        .ends('PROCEED', { text: 'Use another compiler.' })
        .follows(proceedOwner);
      expect(trial.task).toMatchObject({ state: 'active', ruling: 'Use another compiler.' });
    });

    test('after a review: the reviewer confirms within the ruling', () => {
      const trial = new Trial()
        .sentBack(3)
        .ends('PROCEED', { text: 'Zero is out of scope.' })
        .follows(proceedReview);
      expect(trial.task).toMatchObject({
        state: 'review_ready',
        ruling: 'Zero is out of scope.',
        approved: null,
      });
      expect(trial.turn).toMatchObject({ purpose: 'review', ask: null });
    });

    test('the findings it names are overruled for good', () => {
      const trial = new Trial().sentBack(3).ends('PROCEED', { overruled: ['F1'] });
      expect(trial.task.findings).toMatchObject([{ id: 'F1', overruled: true }]);
      trial.ends('DONE').follows('review DONE: merge_ready, one finishing turn');
    });

    test('they do not block when they are said again', () => {
      const trial = new Trial().sentBack(3).ends('PROCEED', { overruled: ['F1'] });
      trial.ends('DONE', {
        findings: [{ criterion: 'C1', text: 'Zero is not handled.' }],
        judged: { C1: 'unmet' },
      });
      trial.follows('review DONE: merge_ready, one finishing turn');
      expect(trial.task.findings).toMatchObject([{ id: 'F1', overruled: true }]);
    });

    test('another finding against the same criterion blocks', () => {
      const trial = new Trial().sentBack(3).ends('PROCEED', { overruled: ['F1'] });
      trial.ends('DONE', { findings: [{ criterion: 'C1', text: 'One is not handled.' }] });
      trial.follows('review DONE against its own criteria or findings: asked once');
    });

    test('rounds without progress are not forgotten: the next one is a second arbitration', () => {
      const trial = new Trial()
        .sentBack(3)
        .ends('PROCEED')
        .ends('DONE_WITH_CONCERNS', { judged: { C1: 'unmet' } });
      expect(trial.task).toMatchObject({ state: 'arbiter_requested', counters: { arbitrations: 2 } });
    });
  });

  describe('arbiter: REVISE', () => {
    test("the owner's turn under the ruling; counters 0, but for the arbitrations", () => {
      const trial = new Trial().sentBack(3).ends('REVISE', { text: 'Handle zero.' });
      trial.follows('arbiter REVISE: the owner, under the ruling');
      expect(trial.task).toMatchObject({ state: 'active', ruling: 'Handle zero.' });
      expect(trial.turn).toMatchObject({ purpose: 'work', session: 'continue', workspace: 'keep' });
      expect(trial.task.counters).toEqual({
        rounds: 0,
        roundsWithoutProgress: 0,
        retries: 0,
        arbitrations: 1,
        changedFinishes: 0,
      });
    });
  });

  describe('arbiter: RESET', () => {
    test('content kept, worktree back to the base, fresh owner session, ruling, counters 0', () => {
      const trial = new Trial().sentBack(3).ends('RESET', { text: 'Begin with zero.' }).follows(reset);
      expect(trial.effects).toEqual([
        { type: 'keep_content' },
        { type: 'start_turn', turn: trial.turn, afterMs: 0 },
      ]);
      expect(trial.turn).toMatchObject({ purpose: 'work', session: 'fresh', workspace: 'reset' });
      expect(trial.task).toMatchObject({
        state: 'active',
        ruling: 'Begin with zero.',
        counters: { rounds: 0 },
      });
      expect(trial.task.counters.arbitrations).toBe(1);
      expect(trial.starts().task.content).toBeNull();
    });

    test('in a directory worked in directly a person confirms first', () => {
      const trial = new Trial({ direct: true })
        .blocked()
        .ends('RESET', { text: 'Begin anew.' })
        .follows(resetDirectly);
      expect(trial.effects).toEqual([{ type: 'ask', question: trial.question }]);
      expect(trial.question).toMatchObject({
        kind: 'reset',
        answers: ['accept', 'send_back', 'go_on', 'stop'],
      });
      expect(trial.question.text).toContain('Begin anew.');
      trial.isAnswered('go_on');
      expect(trial.turn).toMatchObject({ purpose: 'work', session: 'fresh', workspace: 'reset' });
      expect(trial.effects.map(({ type }) => type)).toEqual(['close_question', 'keep_content', 'start_turn']);
    });

    test('a person who sends back instead keeps the directory as it is', () => {
      const trial = new Trial({ direct: true }).blocked().ends('RESET');
      trial.isAnswered('send_back', { message: msg('no') });
      expect(trial.turn).toMatchObject({ session: 'continue', workspace: 'keep' });
      expect(trial.task.content).toBe('snap_1');
    });

    test('a budget that is used up holds it; the content can still be accepted', () => {
      const trial = new Trial().blocked().spends({ usd: 10 }).starts().ends('RESET');
      expect(trial.question).toMatchObject({
        kind: 'budget',
        snapshot: 'snap_1',
        back: { turn: { workspace: 'reset' } },
      });
      trial.isAnswered('go_on');
      expect(trial.turn).toMatchObject({ session: 'fresh', workspace: 'reset' });
    });
  });

  describe('arbiter: ESCALATE, or nothing readable twice, or a third arbitration', () => {
    test('ESCALATE: a person', () => {
      const trial = new Trial()
        .blocked()
        .ends('ESCALATE', { text: 'Only you know.' })
        .follows('arbiter ESCALATE: a person');
      expect(trial.question).toMatchObject({ kind: 'ruling', snapshot: 'snap_1' });
      expect(trial.question.text).toContain('Only you know.');
    });

    test.each([null, 'DONE'] as const)('nothing readable (%s) twice: a person', (says) => {
      const trial = new Trial().blocked().ends(says).follows('nothing readable from the arbiter: asked once');
      expect(trial.turn).toMatchObject({ purpose: 'arbitrate', ask: 'verdict', session: 'continue' });
      expect(trial.task.counters.arbitrations).toBe(1);
      trial.ends(says).follows('nothing readable twice: a person');
      expect(trial.question.kind).toBe('unclear');
    });

    test('the answer to being asked again counts', () => {
      new Trial().blocked().ends(null).ends('REVISE').follows('arbiter REVISE: the owner, under the ruling');
    });

    test('the next arbitration is asked again too', () => {
      const trial = new Trial().blocked().ends(null).ends('PROCEED').blocked().ends(null);
      trial.follows('nothing readable from the arbiter: asked once');
    });

    test('the review after an arbitration that was asked again can be asked again itself', () => {
      const trial = new Trial().sentBack(3).ends(null).ends('PROCEED').ends(null);
      trial.follows('review without a readable verdict: asked once for it');
    });

    test('what cannot be read is no ruling', () => {
      const trial = new Trial().sentBack(3).ends(null, { text: 'Hm.', overruled: ['F1'], dropped: ['C1'] });
      expect(trial.task).toMatchObject({ ruling: null, findings: [{ overruled: false }] });
      expect(trial.task.criteria).toHaveLength(1);
    });

    test.each(['PROCEED', 'REVISE', 'RESET'] as const)(
      'a third arbitration after %s twice: a person',
      (says) => {
        const trial = new Trial().blocked().ends(says).blocked().ends(says).blocked();
        expect(trial.question.kind).toBe('arbitrations');
        trial.isAnswered('send_back').blocked();
        expect(trial.task).toMatchObject({ state: 'arbiter_requested', counters: { arbitrations: 1 } });
      },
    );
  });
}
