import { describe, expect, test } from 'vitest';
import type { Spending } from '../../../../../../src/main/domain/tribunal/task.ts';
import type { BudgetLimit } from '../../../../../../src/shared/vocabulary/words.ts';
import { defect, msg, Trial } from '../../../../../support/trial.ts';

const limits: readonly [BudgetLimit, Partial<Spending>][] = [
  ['usd', { usd: 10 }],
  ['tokens', { tokens: 5_000_000 }],
  ['minutes', { minutes: 120 }],
];

/** Ways to each kind of turn's start: what has to run, and how it ends. */
const starts: readonly [string, () => Trial, (trial: Trial) => Trial][] = [
  ['work', () => new Trial().worked().starts(), (trial) => trial.ends('DONE_WITH_CONCERNS', defect)],
  ['review', () => new Trial().starts(), (trial) => trial.ends('DONE')],
  ['finish', () => new Trial().worked().starts(), (trial) => trial.ends('DONE')],
  ['arbitrate', () => new Trial().starts(), (trial) => trial.ends('BLOCKED')],
  ['work', () => new Trial().blocked().starts(), (trial) => trial.ends('REVISE')],
  ['review', () => new Trial().worked().starts(), (trial) => trial.ends(null)],
  ['arbitrate', () => new Trial().blocked().starts(), (trial) => trial.ends(null)],
  ['work', () => new Trial().starts(), (trial) => trial.fails()],
  ['review', () => new Trial().worked().starts(), (trial) => trial.fails()],
  ['work', () => new Trial().starts(), (trial) => trial.losesItsHost()],
];

export function budgetRows(): void {
  describe('a budget is reached', () => {
    const row = 'a budget is reached: the live turn may wrap up';
    const cut = 'the grace after a reached budget is used up: a person';

    test.each(limits)(
      '%s: the live turn may wrap up; its snapshot is taken; then a person',
      (limit, spent) => {
        const trial = new Trial().starts().spends(spent).reachesBudget(limit).follows(row);
        expect(trial.effects).toEqual([{ type: 'wrap_up', turn: 1, limit }]);
        expect(trial.task).toMatchObject({ state: 'active', turn: { wrappingUp: limit } });
        trial.ends('DONE');
        expect(trial.question).toMatchObject({
          kind: 'budget',
          limit,
          snapshot: 'snap_1',
          back: { state: 'review_ready' },
        });
      },
    );

    test('is said once', () => {
      const trial = new Trial().starts().reachesBudget('usd');
      const before = trial.task;
      trial.reachesBudget('usd').changesNothing(before);
      trial.reachesBudget('tokens').changesNothing(before);
    });

    test('does not end a turn that is only due, or an older one', () => {
      const trial = new Trial();
      const before = trial.task;
      trial.reachesBudget('usd').changesNothing(before);
      const later = new Trial().worked().starts();
      const unchanged = later.task;
      later.happens({ type: 'budget_reached', turn: 1, limit: 'usd' }).changesNothing(unchanged);
    });

    test('the grace used up: cut off, its content kept, a person', () => {
      const trial = new Trial().starts().spends({ usd: 10 }).reachesBudget('usd');
      trial.fails({ cut: true, content: 'snap_half', reason: 'Cut off.' }).follows(cut);
      expect(trial.question).toMatchObject({ kind: 'budget', limit: 'usd', snapshot: 'snap_half' });
      expect(trial.question.back.turn).toMatchObject({
        purpose: 'work',
        wrappingUp: null,
        messages: [msg('request')],
      });
      trial.isAnswered('go_on');
      expect(trial.task).toMatchObject({ state: 'active', budgets: 2 });
    });

    test('a turn that was cut off before it was told to wrap up is gone on with all the same', () => {
      const trial = new Trial().starts().spends({ usd: 10 }).fails({ cut: true }).isAnswered('go_on');
      expect(trial.task).toMatchObject({ state: 'active', budgets: 2 });
    });

    test('work that finishes while wrapping up is done', () => {
      const trial = new Trial().approved().starts().spends({ usd: 10 }).reachesBudget('usd').ends(null);
      expect(trial.task.ending).toBe('reviewed');
      const single = new Trial({ mode: 'single' })
        .starts()
        .spends({ usd: 10 })
        .reachesBudget('usd')
        .ends('DONE');
      expect(single.task.ending).toBe('unreviewed');
    });

    test.each(starts)(
      'no turn (%s) starts on a used up budget; "go on" grants one more and starts it',
      (purpose, trialAt, end) => {
        for (const [limit, spent] of limits) {
          const trial = end(trialAt().spends(spent));
          expect(trial.question).toMatchObject({ kind: 'budget', limit, back: { turn: { purpose } } });
          expect(trial.effects).toEqual([{ type: 'ask', question: trial.question }]);
          expect(trial.question.answers).toContain('go_on');
          trial.isAnswered('go_on');
          expect(trial.task.budgets).toBe(2);
          expect(trial.turn).toMatchObject({ purpose, phase: 'due', attempt: 1 });
        }
      },
    );

    test('12 rounds: a person, and an answer starts the count anew', () => {
      const trial = new Trial({ budget: { rounds: 2 } })
        .sentBack(1)
        .worked()
        .ends('DONE_WITH_CONCERNS', defect);
      expect(trial.question).toMatchObject({ kind: 'budget', limit: 'rounds', back: { state: 'active' } });
      trial.isAnswered('go_on');
      expect(trial.task.counters.rounds).toBe(0);
      expect(trial.turn.purpose).toBe('work');
    });

    test('"send back" grants one more too, and the words reach the owner', () => {
      const trial = new Trial()
        .starts()
        .spends({ usd: 35 })
        .ends('DONE')
        .isAnswered('send_back', { message: msg('go') });
      expect(trial.task.budgets).toBe(4);
      expect(trial.starts().turn.messages).toEqual([msg('go')]);
    });

    test('the next budget is reached in its turn', () => {
      const trial = new Trial()
        .starts()
        .spends({ usd: 10 })
        .ends('DONE')
        .isAnswered('go_on')
        .starts()
        .spends({ usd: 20 });
      expect(trial.ends('DONE').question).toMatchObject({ kind: 'budget', limit: 'usd' });
    });

    test('messages that wait are not lost', () => {
      const trial = new Trial().starts().hears('more').spends({ usd: 10 }).ends('DONE');
      expect(trial.question.kind).toBe('budget');
      expect(trial.isAnswered('go_on').starts().turn.messages).toEqual([msg('more')]);
    });
  });
}
