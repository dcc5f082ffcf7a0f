import { describe, expect, test } from 'vitest';
import type { Task } from '../../../../../../src/main/domain/tribunal/task.ts';
import { defect, Trial } from '../../../../../support/trial.ts';

function told(task: Task): [string, string][] {
  return task.criteria.map(({ text, source }) => [text, source]);
}

export function criteriaRules(): void {
  describe('criteria', () => {
    test("the room's standing ones, the owner's, the first review's; then fixed", () => {
      const trial = new Trial({}, { criteria: ['Tests pass.'] }).worked({
        criteria: ['It adds.', 'Tests pass.'],
      });
      const bothRoles = [
        ['Tests pass.', 'room'],
        ['It adds.', 'owner'],
      ];
      expect(told(trial.task)).toEqual(bothRoles);
      expect(trial.task.criteriaFixed).toBe(false);

      trial.ends('DONE_WITH_CONCERNS', { ...defect, criteria: ['It handles zero.'] });
      const all = [...bothRoles, ['It handles zero.', 'reviewer']];
      expect(told(trial.task)).toEqual(all);
      expect(trial.task.criteriaFixed).toBe(true);

      trial
        .worked({ criteria: ['Later.'] })
        .ends('DONE_WITH_CONCERNS', { ...defect, criteria: ['Later still.'] });
      expect(told(trial.task)).toEqual(all);
      expect(trial.task.criteria.map(({ id }) => id)).toEqual(['C1', 'C2', 'C3']);
    });

    test('the owner proposes once', () => {
      const trial = new Trial()
        .starts()
        .hears('more')
        .ends('DONE', { criteria: ['It adds.'] });
      trial.worked({ criteria: ['Easier.'] });
      expect(told(trial.task)).toEqual([['It adds.', 'owner']]);
    });

    test('an owner that proposed none before the first review proposes none after it', () => {
      const trial = new Trial()
        .worked()
        .ends('DONE_WITH_CONCERNS', defect)
        .worked({ criteria: ['Easier.'] });
      expect(told(trial.task)).toEqual([['Make the test pass.', 'message']]);
    });

    test('at most 7 are added to the standing ones', () => {
      const many = (letter: string): string[] => Array.from({ length: 5 }, (_, index) => `${letter}${index}`);
      const trial = new Trial({}, { criteria: many('room') }).worked({ criteria: [...many('a'), 'a0', ' '] });
      expect(trial.task.criteria).toHaveLength(10);
      trial.ends('DONE_WITH_CONCERNS', { ...defect, criteria: many('b') });
      expect(told(trial.task).slice(10)).toEqual([
        ['b0', 'reviewer'],
        ['b1', 'reviewer'],
      ]);
    });

    test('none: the message itself', () => {
      expect(told(new Trial().worked().task)).toEqual([['Make the test pass.', 'message']]);
    });

    test('a first review that is asked again still completes them', () => {
      const trial = new Trial()
        .worked()
        .ends(null, { criteria: ['It handles zero.'] })
        .ends('DONE');
      expect(told(trial.task)).toContainEqual(['It handles zero.', 'reviewer']);
    });

    test('a person changes them, and the arbiter', () => {
      const trial = new Trial({ hasArbiter: false }).worked().ends('BLOCKED');
      trial.isAnswered('send_back', { criteria: ['It is quick.'], dropped: ['C1'] });
      expect(told(trial.task)).toEqual([['It is quick.', 'person']]);

      const ruled = new Trial()
        .worked()
        .ends('BLOCKED')
        .ends('REVISE', { criteria: ['It is small.'], dropped: ['C1'] });
      expect(told(ruled.task)).toEqual([['It is small.', 'arbiter']]);
      expect(ruled.task.criteriaFixed).toBe(true);
    });

    test('a new one does not take the id of one that it replaces', () => {
      const trial = new Trial({ hasArbiter: false }).worked().ends('BLOCKED');
      trial.isAnswered('send_back', { criteria: ['It is quick.'], dropped: ['C1'] });
      expect(trial.task.criteria.map(({ id }) => id)).toEqual(['C2']);
    });

    test('a finding against a struck criterion no longer blocks', () => {
      const trial = new Trial({}, { criteria: ['It handles zero.', 'It adds.'] }).sentBack(3);
      trial
        .ends('PROCEED', { dropped: ['C1'] })
        .ends('DONE')
        .follows('review DONE: merge_ready, one finishing turn');
      expect(trial.task.findings).toMatchObject([{ criterion: null }]);
    });

    test('a criterion holds back until it is judged otherwise', () => {
      const trial = new Trial()
        .worked()
        .ends('DONE_WITH_CONCERNS', { judged: { C1: 'unmet' } })
        .worked();
      trial.ends('DONE').follows('review DONE against its own criteria or findings: asked once');
      trial.ends('DONE', { judged: { C1: 'met' } }).follows('review DONE: merge_ready, one finishing turn');
    });
  });
}

export function progressRules(): void {
  describe('progress of a round', () => {
    const without = (trial: Trial): number => trial.task.counters.roundsWithoutProgress;
    const start = (): Trial => new Trial({}, { criteria: ['a', 'b'] }).worked();
    const says = 'DONE_WITH_CONCERNS';
    const stuck = { judged: { C1: 'unmet', C2: 'unmet' } } as const;
    const half = { judged: { C1: 'met', C2: 'unmet' } } as const;

    test('the snapshot changed and an unmet one became met: the count starts anew', () => {
      const trial = start().ends(says, stuck).worked().ends(says, stuck);
      expect(without(trial)).toBe(2);
      expect(without(trial.worked().ends(says, half))).toBe(0);
      expect(trial.task.counters.rounds).toBe(3);
    });

    test('what nobody judged before counts as unmet', () => {
      expect(without(start().ends(says, half))).toBe(0);
    });

    test('none where the snapshot did not change', () => {
      const trial = start().ends(says, stuck).worked({ leaves: 'snap_1' }).ends(says, half);
      expect(without(trial)).toBe(2);
      const untouched = new Trial({}, { criteria: ['a', 'b'] }).worked({ leaves: 'snap_base' });
      expect(without(untouched.ends(says, half))).toBe(1);
    });

    test('none where a met one became unmet', () => {
      const trial = start()
        .ends(says, half)
        .worked()
        .ends(says, { judged: { C1: 'unmet', C2: 'met' } });
      expect(without(trial)).toBe(1);
    });

    test('none where nothing became met, though one that could not be verified did', () => {
      const trial = start().ends(says, { judged: { C1: 'unverifiable', C2: 'unmet' } });
      expect(without(trial.worked().ends(says, half))).toBe(2);
    });

    test('an earlier finding that became met counts', () => {
      const trial = start().ends(says, { findings: [{ criterion: 'C1' }], judged: { C1: 'unmet' } });
      expect(without(trial.worked().ends(says, { judged: { F1: 'met', C1: 'unmet' } }))).toBe(0);
    });

    test('an overruled finding does not', () => {
      const trial = new Trial()
        .sentBack(3)
        .ends('REVISE', { overruled: ['F1'] })
        .worked();
      expect(without(trial.ends(says, { judged: { F1: 'met', C1: 'unmet' } }))).toBe(1);
    });

    test('a met one that cannot be verified any more is not one that became unmet', () => {
      const trial = start()
        .ends(says, half)
        .worked()
        .ends(says, { judged: { C1: 'unverifiable', C2: 'met' } });
      expect(trial.turn.ask).toBe('decision');
      expect(without(trial.ends(says, { judged: { C1: 'unverifiable', C2: 'met' } }))).toBe(0);
    });

    test('free text does not', () => {
      const trial = start().ends(says, { text: 'No.', judged: { C1: 'unmet' } });
      expect(without(trial.worked().ends(says, { judged: { F1: 'met', C1: 'unmet' } }))).toBe(2);
    });

    test('it is measured over the whole review, asked again or not', () => {
      const trial = start().ends(says, stuck).worked().ends('DONE', half).ends(says, half);
      expect(without(trial)).toBe(0);
    });
  });
}
