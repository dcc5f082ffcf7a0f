import { describe, expect, test } from 'vitest';
import { Trial } from '../../../../../support/trial.ts';

export function ownerRows(): void {
  describe('the room is single', () => {
    test.each([null, 'DONE', 'DONE_WITH_CONCERNS'] as const)(
      "the owner's turn ends with %s: done, unreviewed",
      (says) => {
        const trial = new Trial({ mode: 'single' })
          .ends(says)
          .follows('single room, owner ends: done, unreviewed');
        expect(trial.task).toMatchObject({
          state: 'completed',
          ending: 'unreviewed',
          content: 'snap_1',
          approved: null,
        });
        expect(trial.effects.map(({ type }) => type)).toContain('tell_ending');
      },
    );

    test.each(['BLOCKED', 'NEEDS_CONTEXT'] as const)('%s: a person, though there is an arbiter', (says) => {
      const trial = new Trial({ mode: 'single', hasArbiter: true }).ends(says, { text: 'Which one?' });
      trial.follows('single room, owner BLOCKED or NEEDS_CONTEXT: a person');
      expect(trial.question).toMatchObject({
        kind: 'blocked',
        snapshot: 'snap_1',
        back: { state: 'active' },
      });
      expect(trial.question.text).toContain('Which one?');
    });
  });

  describe('owner: BLOCKED / NEEDS_CONTEXT', () => {
    const row = 'owner BLOCKED or NEEDS_CONTEXT: the arbiter; without one, or the third time, a person';

    test.each(['BLOCKED', 'NEEDS_CONTEXT'] as const)('%s: the arbiter if there is one', (says) => {
      const trial = new Trial().ends(says).follows(row);
      expect(trial.task).toMatchObject({
        state: 'arbiter_requested',
        content: 'snap_1',
        arbitrationAfter: 'owner',
      });
      expect(trial.turn).toMatchObject({ role: 'arbiter', session: 'fresh', phase: 'due' });
      expect(trial.starts().task.state).toBe('in_arbitration');
    });

    test.each(['BLOCKED', 'NEEDS_CONTEXT'] as const)('%s: else a person', (says) => {
      const trial = new Trial({ hasArbiter: false }).ends(says).follows(row);
      expect(trial.question).toMatchObject({ kind: 'blocked', snapshot: 'snap_1' });
    });
  });

  describe("the owner's turn ends otherwise", () => {
    test.each([null, 'DONE', 'DONE_WITH_CONCERNS', 'PROCEED'] as const)(
      'with %s: snapshot, then review',
      (says) => {
        const trial = new Trial().ends(says).follows('owner ends otherwise: review');
        expect(trial.task).toMatchObject({ state: 'review_ready', content: 'snap_1' });
        expect(trial.turn).toMatchObject({ role: 'reviewer', purpose: 'review', number: 2, ask: null });
        expect(trial.starts().task.state).toBe('in_review');
      },
    );

    test('an ending counts once, from the newest try of the live turn', () => {
      const trial = new Trial().starts();
      let before = trial.task;
      trial.happens(trial.ending('DONE', { turn: 2 })).changesNothing(before);
      trial.happens(trial.ending('DONE', { attempt: 2 })).changesNothing(before);
      const event = trial.ending('DONE');
      before = trial.happens(event).task;
      trial.happens(event).changesNothing(before);
      before = trial.starts().task;
      trial.happens(event).changesNothing(before);
    });
  });
}
