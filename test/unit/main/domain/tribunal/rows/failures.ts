import { describe, expect, test } from 'vitest';
import { Trial } from '../../../../../support/trial.ts';
import { trialsInEveryState } from './person.ts';

const withTurn = trialsInEveryState.filter(([name]) => name !== 'awaiting_person');

export function failureRows(): void {
  describe('a turn fails for good', () => {
    const row = 'a turn fails for good: a person at once';

    test.each(withTurn)('%s: a person is asked at once, and trying again goes back', (_, trialIn) => {
      const trial = trialIn();
      const { turn } = trial.task;
      trial.happens(trial.failing({ forGood: true, reason: 'The key is not valid.' })).follows(row);
      expect(trial.task).toMatchObject({ state: 'awaiting_person', turn: null });
      expect(trial.question).toMatchObject({ kind: 'failed', back: { turn: { purpose: turn?.purpose } } });
      expect(trial.question.text).toContain('The key is not valid.');
      expect(trial.effects).toEqual([{ type: 'ask', question: trial.question }]);

      trial.isAnswered('try_again').starts();
      expect(trial.turn.purpose).toBe(turn?.purpose);
    });

    test('even where a message waits', () => {
      const trial = new Trial().worked().hears('more').fails({ forGood: true }).follows(row);
      expect(trial.task.waiting).toHaveLength(1);
    });

    test('what the owner had made by then can be accepted', () => {
      const trial = new Trial().fails({ forGood: true, content: 'snap_half' });
      expect(trial.question).toMatchObject({
        snapshot: 'snap_half',
        answers: ['accept', 'send_back', 'try_again', 'stop'],
      });
    });

    test.each([{ unknown: 'The disk is full.' }, null])('a snapshot is impossible (%o)', (leaves) => {
      const trial = new Trial().ends('DONE', { leaves });
      trial.follows('a snapshot of the work is impossible: a person at once');
      expect(trial.question.kind).toBe('failed');
      expect(trial.question.back.turn.messages).toHaveLength(1);
    });
  });

  describe('a turn fails otherwise', () => {
    const row = 'a turn fails otherwise: again after 5 s × 2ⁿ, five times; then a person';

    test.each(withTurn)(
      '%s: same role, same state, again after 5 s × 2ⁿ, five times; then a person',
      (_, trialIn) => {
        const trial = trialIn();
        const { role, purpose, number } = trial.turn;
        const state = trial.fails().task.state;
        const delays: number[] = [];
        for (let tries = 1; tries <= 5; tries += 1) {
          trial.follows(row);
          expect(trial.turn).toMatchObject({ role, purpose, number, phase: 'due', attempt: tries + 1 });
          expect(trial.task.state).toBe(state);
          delays.push(...trial.effects.map((effect) => (effect.type === 'start_turn' ? effect.afterMs : -1)));
          trial.fails({ reason: 'The connection broke off.' });
        }
        expect(delays).toEqual([5_000, 10_000, 20_000, 40_000, 80_000]);
        expect(trial.follows(row).question.kind).toBe('kept_failing');
        expect(trial.question.text).toContain('The connection broke off.');
      },
    );

    test('waits at least as long as the other side asked for', () => {
      const trial = new Trial().fails({ retryAfterMs: 60_000 });
      expect(trial.effects).toMatchObject([{ type: 'start_turn', afterMs: 60_000 }]);
      trial.fails({ retryAfterMs: 1 });
      expect(trial.effects).toMatchObject([{ type: 'start_turn', afterMs: 10_000 }]);
    });

    test('a turn that ends well makes the next one count anew', () => {
      const trial = new Trial().fails().fails().worked();
      expect(trial.task.counters.retries).toBe(0);
      expect(trial.fails().effects).toMatchObject([{ afterMs: 5_000 }]);
    });

    test('keeps what the owner had made for the person who is asked in the end', () => {
      const trial = new Trial().fails({ content: 'snap_half' });
      for (let tries = 1; tries <= 5; tries += 1) trial.fails();
      expect(trial.question).toMatchObject({ kind: 'kept_failing', snapshot: 'snap_half' });
    });

    test('can be that it could not even start', () => {
      const trial = new Trial();
      trial.happens(trial.failing()).follows(row);
      expect(trial.turn).toMatchObject({ phase: 'due', attempt: 2 });
    });

    test('counts only from the newest try of the live turn', () => {
      const trial = new Trial().fails();
      const before = trial.task;
      trial.happens(trial.failing({ attempt: 1 })).changesNothing(before);
      trial.happens(trial.failing({ turn: 2 })).changesNothing(before);
    });
  });

  describe('what a turn runs on is used up', () => {
    const row =
      'what a turn runs on is used up: the same turn again, at once where another account or engine can take it, else at the earliest reset; counters as they were';

    test.each(withTurn)(
      '%s: the same turn in the same state, however often, and it counts nowhere',
      (_, trialIn) => {
        const trial = trialIn();
        if (trial.turn.phase === 'due') trial.starts();
        const { number, role, purpose, messages } = trial.turn;
        const { counters, reviewed, approved } = trial.task;
        const state = trial.isExhausted().follows(row).task.state;
        for (let times = 2; times <= 20; times += 1) {
          trial.isExhausted({ afterMs: times * 60_000 }).follows(row);
          expect(trial.effects).toMatchObject([{ type: 'start_turn', afterMs: times * 60_000 }]);
        }
        expect(trial.turn).toMatchObject({ number, role, purpose, messages, phase: 'due' });
        expect(trial.task).toMatchObject({ state, counters, reviewed, approved });
      },
    );

    test('before the turn could start: it stays due', () => {
      const trial = new Trial();
      trial.happens(trial.exhausting({ afterMs: 1 })).follows(row);
      expect(trial.turn).toMatchObject({ phase: 'due', attempt: 2 });
    });

    test('leaves failed tries as they were counted', () => {
      const trial = new Trial().fails().fails().isExhausted().fails();
      expect(trial.effects).toMatchObject([{ afterMs: 20_000 }]);
    });

    test('at a used-up budget a person is asked, with what the owner had made', () => {
      const trial = new Trial().starts().reachesBudget('usd').spends({ usd: 10 });
      trial.isExhausted({ content: 'snap_half' }).follows(row);
      expect(trial.question).toMatchObject({ kind: 'budget', snapshot: 'snap_half' });
    });

    test('a stop while it waits ends the task', () => {
      const trial = new Trial().isExhausted({ afterMs: 3_600_000 }).isStopped();
      expect(trial.task.ending).toBe('stopped');
      expect(trial.effects).toMatchObject([
        { type: 'end_turn' },
        { type: 'tell_ending' },
        { type: 'keep_content' },
      ]);
    });

    test('counts only from the newest try of the live turn', () => {
      const trial = new Trial().isExhausted();
      const before = trial.task;
      trial.happens(trial.exhausting({ attempt: 1 })).changesNothing(before);
      trial.happens(trial.exhausting({ turn: 2 })).changesNothing(before);
    });
  });

  describe('a turn ends without visible output', () => {
    const row = 'a turn ends without visible output: as a failure';

    test.each([
      ['the owner', () => new Trial()],
      ['the reviewer', () => new Trial().worked()],
      ['the arbiter', () => new Trial().blocked()],
    ] as const)('%s: as a failure', (_, trialIn) => {
      const trial = trialIn();
      const { number } = trial.turn;
      trial.ends(null, { visible: false }).follows(row);
      expect(trial.turn).toMatchObject({ number, attempt: 2 });
      expect(trial.effects).toMatchObject([{ afterMs: 5_000 }]);
      for (let tries = 1; tries <= 5; tries += 1) trial.ends(null, { visible: false });
      expect(trial.question.kind).toBe('kept_failing');
    });

    test('keeps what a silent owner has made', () => {
      expect(new Trial().ends(null, { visible: false, leaves: 'snap_silent' }).task.content).toBe(
        'snap_silent',
      );
    });
  });
}
