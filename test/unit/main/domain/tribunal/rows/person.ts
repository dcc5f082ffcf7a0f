import { describe, expect, test } from 'vitest';
import type { Task } from '../../../../../../src/main/domain/tribunal/task.ts';
import { msg, Trial } from '../../../../../support/trial.ts';

const trials: Record<string, () => Trial> = {
  'active, due': () => new Trial(),
  'active, running': () => new Trial().starts(),
  review_ready: () => new Trial().worked(),
  in_review: () => new Trial().worked().starts(),
  'merge_ready, due': () => new Trial().approved(),
  'merge_ready, running': () => new Trial().approved().starts(),
  arbiter_requested: () => new Trial().blocked(),
  in_arbitration: () => new Trial().blocked().starts(),
  awaiting_person: () => new Trial({ hasArbiter: false }).blocked(),
};

/** A trial in each state in which a task can be, with the turn due and running where the state has both. */
export const trialsInEveryState: readonly [string, () => Trial][] = Object.entries(trials);

export function personRows(): void {
  describe('stop, in any state', () => {
    test.each(trialsInEveryState)('%s: processes end, content is kept, completed: stopped', (_, trialIn) => {
      const trial = trialIn();
      const { turn, question } = trial.task;
      trial.isStopped().follows('stop, in any state: content kept');
      expect(trial.task).toMatchObject({ state: 'completed', ending: 'stopped', turn: null, question: null });
      expect(trial.effects).toEqual([
        ...(turn === null ? [] : [{ type: 'end_turn', turn: turn.number }]),
        ...(question === null ? [] : [{ type: 'close_question', question: question.number }]),
        { type: 'tell_ending', ending: 'stopped' },
        { type: 'keep_content' },
      ]);
    });

    test('nothing happens to a completed task', () => {
      const trial = new Trial().approved().ends(null);
      const before = trial.task;
      expect(before).toMatchObject({ state: 'completed', ending: 'reviewed' });
      trial.isStopped().changesNothing(before);
      trial.hears('late').changesNothing(before);
      trial.losesItsHost().changesNothing(before);
      trial.happens({ type: 'turn_started', turn: 3, base: null }).changesNothing(before);
    });
  });

  describe('a person answers', () => {
    const reviewBlocked = (): Trial => new Trial({ hasArbiter: false }).worked().ends('NEEDS_CONTEXT');

    test('accept: done, accepted, with the snapshot that was shown', () => {
      const trial = reviewBlocked();
      const { snapshot, number } = trial.question;
      trial.isAnswered('accept').follows('a person accepts (only with a snapshot): done, accepted');
      expect(trial.task).toMatchObject({ state: 'completed', ending: 'accepted', approved: snapshot });
      expect(trial.effects).toEqual([
        { type: 'close_question', question: number },
        { type: 'tell_ending', ending: 'accepted' },
      ]);
      expect(snapshot).toBe('snap_1');
    });

    test('accept is no answer where there is no snapshot to accept', () => {
      const trial = new Trial().fails({ forGood: true });
      expect(trial.question.answers).toEqual(['send_back', 'try_again', 'stop']);
      const before = trial.task;
      trial.isAnswered('accept').changesNothing(before);
    });

    test("send back with words: the owner's turn has them", () => {
      const trial = reviewBlocked()
        .isAnswered('send_back', { message: msg('words') })
        .follows("a person sends back with words: owner's turn");
      expect(trial.task.state).toBe('active');
      expect(trial.starts().turn.messages).toEqual([msg('words')]);
    });

    test('try again: the state gone back to, with the turn that failed', () => {
      const trial = new Trial().worked().fails({ forGood: true });
      expect(trial.question.back).toMatchObject({ state: 'review_ready', turn: { role: 'reviewer' } });
      trial.isAnswered('try_again').follows('a person says try again: the state gone back to');
      expect(trial.task.state).toBe('review_ready');
      expect(trial.turn).toMatchObject({ purpose: 'review', phase: 'due', attempt: 1 });
      expect(trial.effects.at(-1)).toEqual({ type: 'start_turn', turn: trial.turn, afterMs: 0 });
    });

    test.each([
      ['an owner', 'work', () => new Trial({ hasArbiter: false }).ends('BLOCKED')],
      ['a review', 'review', () => new Trial({ hasArbiter: false }).worked().ends('BLOCKED')],
      ['a finishing turn', 'finish', () => new Trial({ hasArbiter: false }).approved().ends('BLOCKED')],
    ] as const)('try again after %s was blocked starts that turn again', (_, purpose, blocked) => {
      expect(blocked().isAnswered('try_again').turn).toMatchObject({ purpose, phase: 'due' });
    });

    test('words that come with "try again" wait for the owner', () => {
      const trial = new Trial().worked().fails({ forGood: true });
      trial.isAnswered('try_again', { message: msg('words') });
      expect(trial.task).toMatchObject({ state: 'review_ready', waiting: [msg('words')] });
      trial.ends('DONE').follows('the review ends while a message waits: the owner, before any merge_ready');
      expect(trial.starts().turn.messages).toEqual([msg('words')]);
    });

    test('try again after a failed finishing turn still compares with what was approved', () => {
      const trial = new Trial().approved();
      const { approved } = trial.task;
      trial.fails({ forGood: true }).isAnswered('try_again');
      expect(trial.task).toMatchObject({ state: 'merge_ready', approved });
      trial.ends(null).follows('finishing turn ends, content equals the approved: done, reviewed');
    });

    test('stop: completed, stopped', () => {
      const trial = reviewBlocked().isAnswered('stop').follows('a person answers stop: content kept');
      expect(trial.task).toMatchObject({ state: 'completed', ending: 'stopped' });
      expect(trial.effects.map(({ type }) => type)).toEqual([
        'close_question',
        'tell_ending',
        'keep_content',
      ]);
    });

    test('go on, at a budget: the step that was held, with one more', () => {
      const trial = new Trial().spends({ usd: 10 }).starts().ends('DONE');
      expect(trial.question).toMatchObject({ kind: 'budget', back: { state: 'review_ready' } });
      trial.isAnswered('go_on').follows('a person says go on: the held step, at a budget one more');
      expect(trial.task).toMatchObject({ state: 'review_ready', budgets: 2 });
    });

    test.each(['send_back', 'try_again'] as const)('%s zeroes rounds, retries and arbitrations', (answer) => {
      const trial = new Trial().sentBack(3).ends('PROCEED').ends('DONE_WITH_CONCERNS').ends('ESCALATE');
      expect(trial.task.counters).toMatchObject({ rounds: 4, roundsWithoutProgress: 4, arbitrations: 2 });
      trial.isAnswered(answer);
      expect(Object.values(trial.task.counters)).toEqual([0, 0, 0, 0, 0]);
    });

    test('an answer counts once, for the open question, and only if it is listed', () => {
      const trial = reviewBlocked();
      let before: Task = trial.task;
      trial.isAnswered('go_on').changesNothing(before);
      trial.isAnswered('accept', { question: 9 }).changesNothing(before);
      const { number } = trial.question;
      before = trial.isAnswered('send_back').task;
      const again = { type: 'person_answered', message: null, criteria: [], dropped: [] } as const;
      trial.happens({ ...again, question: number, answer: 'send_back' }).changesNothing(before);
    });

    test('each question has its own number', () => {
      const trial = reviewBlocked();
      const first = trial.question.number;
      trial.isAnswered('send_back').blocked();
      expect(trial.question.number).toBe(first + 1);
    });

    test('every question takes send back and stop, and is gone on with or tried again', () => {
      for (const trial of [
        new Trial({ hasArbiter: false }).blocked(),
        new Trial().fails({ forGood: true }),
        new Trial({ direct: true }).blocked().ends('RESET'),
        new Trial().approved().ends('DONE', { equals: null }),
        new Trial().spends({ usd: 10 }).starts().ends('DONE'),
      ]) {
        expect(trial.question.answers).toContain('send_back');
        expect(trial.question.answers).toContain('stop');
        const held = trial.question.kind === 'budget' || trial.question.kind === 'reset';
        expect(trial.question.answers.includes('go_on')).toBe(held);
        expect(trial.question.answers.includes('try_again')).toBe(!held);
        expect(trial.question.text).not.toBe('');
      }
    });
  });

  describe('the host died', () => {
    const row = 'the host died: the running turn runs again, counters as they were';
    const running = trialsInEveryState.filter(([name]) => name.includes('running') || name.startsWith('in_'));

    test.each(running)('%s: the turn runs again', (_, trialIn) => {
      const trial = trialIn();
      const before = trial.task;
      trial.losesItsHost().follows(row);
      expect(trial.turn).toEqual({ ...before.turn, phase: 'due', attempt: 2 });
      expect(trial.effects).toEqual([{ type: 'start_turn', turn: trial.turn, afterMs: 0 }]);
      expect(trial.task.counters).toEqual(before.counters);
    });

    test.each(trialsInEveryState.filter((state) => !running.includes(state)))(
      '%s: nothing changes',
      (_, trialIn) => {
        const trial = trialIn();
        const before = trial.task;
        trial.losesItsHost().changesNothing(before);
      },
    );

    test('retries that were counted stay counted', () => {
      const trial = new Trial().fails().fails().starts().losesItsHost();
      expect(trial.task.counters.retries).toBe(2);
      expect(trial.turn.attempt).toBe(4);
    });

    test('what the lost try says later counts for nothing', () => {
      const trial = new Trial().worked().starts();
      const late = trial.ending('DONE');
      const before = trial.losesItsHost().starts().task;
      trial.happens(late).changesNothing(before);
      trial.ends('DONE').follows('review DONE: merge_ready, one finishing turn');
    });
  });
}
