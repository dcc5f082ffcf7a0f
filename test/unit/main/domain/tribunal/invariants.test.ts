import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decide } from '../../../../../src/main/domain/tribunal/decide.ts';
import { rules } from '../../../../../src/main/domain/tribunal/rules.ts';
import { startTask } from '../../../../../src/main/domain/tribunal/start.ts';
import type { Task } from '../../../../../src/main/domain/tribunal/task.ts';
import { arbiterVerdicts, roomModes, taskStates } from '../../../../../src/shared/vocabulary/words.ts';
import type { Verdict } from '../../../../../src/shared/vocabulary/words.ts';
import { deepFreeze } from '../../../../support/deep-freeze.ts';
import { Draws } from '../../../../support/draws.ts';
import { beginningOf, Trial } from '../../../../support/trial.ts';
import type { EndingParts } from '../../../../support/trial.ts';
import { TribunalModel } from '../../../../support/tribunal-model.ts';
import { TribunalWatch } from '../../../../support/tribunal-watch.ts';

const SEQUENCES = 10_000;
const MAX_STEPS = 80;

const seed = fc.nat({ max: 2 ** 31 - 1 });
const terms = fc.record({
  // Single rooms are over soon, so most are not.
  mode: fc.constantFrom(...roomModes, 'tribunal' as const, 'tribunal' as const),
  hasArbiter: fc.boolean(),
  direct: fc.boolean(),
  budget: fc.record({ rounds: fc.constantFrom(2, 12) }),
});

describe('whatever happens to a task', () => {
  test('what must always hold holds, in 10,000 sequences of random events', () => {
    const reachedRules = new Set<string | null>();
    const reachedStates = new Set<string>();
    const sequence = fc.array(seed, { minLength: 1, maxLength: MAX_STEPS, size: 'max' });
    fc.assert(
      fc.property(terms, sequence, (roomTerms, seeds) => {
        const model = new TribunalModel();
        let task: Task = deepFreeze(startTask(beginningOf(roomTerms)).task);
        const watch = new TribunalWatch(task);
        for (const stepSeed of seeds) {
          const draws = new Draws(stepSeed);
          const before = deepFreeze({ ...task, spent: model.spending(task.spent, draws) });
          const event = deepFreeze(model.next(before, draws));
          const decision = decide(before, event);
          watch.sees(before, event, decision);
          task = deepFreeze(decision.task);
          reachedRules.add(decision.rule);
          reachedStates.add(task.state);
        }
      }),
      { numRuns: SEQUENCES },
    );
    // The model is worth what it reaches.
    expect([...reachedStates].sort()).toEqual([...taskStates].sort());
    expect(rules.map(({ name }) => name).filter((name) => !reachedRules.has(name))).toEqual([]);
    expect(reachedRules).toContain(null);
  });
});

/** How a turn of a role ends that never gives in. */
type Stubbornness = (trial: Trial, draws: Draws) => readonly [Verdict | null, EndingParts];

/** Three segments of at most 12 rounds, of an owner's turn and a review that is asked twice, and the arbitrations between. */
const MOST_TURNS = 3 * 12 * 4 + 2 * 2;

/** Plays until a person is asked or the task is over; gives how many turns that took. */
function turnsUntilOver(trial: Trial, stubborn: Stubbornness, seeds: Draws): number {
  let turns = 0;
  while (trial.task.turn !== null) {
    turns += 1;
    if (turns > MOST_TURNS) throw new Error(`After ${turns} turns they still go on: ${trial.task.state}.`);
    trial.ends(...stubborn(trial, seeds));
  }
  return turns;
}

const reviewers: Record<string, readonly [Verdict | null, EndingParts]> = {
  'concerns that block': ['DONE_WITH_CONCERNS', { judged: { C1: 'unmet' }, findings: [{ criterion: 'C1' }] }],
  'concerns that do not block': [
    'DONE_WITH_CONCERNS',
    { findings: [{ criterion: null, severity: 'minor' }] },
  ],
  'nothing readable': [null, { text: 'Hm.' }],
  'DONE against itself': ['DONE', { judged: { C1: 'unmet' } }],
  'that it is blocked': ['BLOCKED', {}],
  'that it needs context': ['NEEDS_CONTEXT', {}],
  'DONE, and the owner changes it': ['DONE', {}],
};

describe('an owner and a reviewer that never agree', () => {
  const settings = Object.entries(reviewers).flatMap(([name, says]) =>
    [null, ...arbiterVerdicts, 'DONE' as const].map((ruling) => [name, ruling, says] as const),
  );

  test.each(settings)('come to a person: the reviewer says %s, the arbiter %s', (_, ruling, says) => {
    const trial = new Trial({ hasArbiter: true });
    turnsUntilOver(trial, stubbornly(says, ruling), new Draws(1));
    expect(trial.task.state).toBe('awaiting_person');
  });

  test.each(Object.entries(reviewers))(
    'come to a person without an arbiter: the reviewer says %s',
    (_, says) => {
      const trial = new Trial({ hasArbiter: false });
      turnsUntilOver(trial, stubbornly(says, null), new Draws(1));
      expect(trial.task.state).toBe('awaiting_person');
    },
  );

  test('come to a person, or to an end, whatever else they say', () => {
    const ending: Stubbornness = (trial, draws) => {
      const { purpose } = trial.turn;
      if (purpose === 'arbitrate')
        return [draws.of<Verdict | null>(['PROCEED', 'REVISE', 'RESET', null]), {}];
      const judged = {
        C1: draws.of(['met', 'unmet', 'unverifiable']),
        F1: draws.of(['met', 'unmet']),
      } as const;
      const findings = draws.onceIn(2)
        ? [{ criterion: draws.of(['C1', null]), text: String(draws.below(9)) }]
        : [];
      const says = draws.of<Verdict | null>([
        'DONE',
        'DONE',
        'DONE_WITH_CONCERNS',
        'DONE_WITH_CONCERNS',
        'BLOCKED',
        null,
      ]);
      return [says, { judged, findings, equals: false }];
    };
    fc.assert(
      fc.property(terms, seed, (roomTerms, from) => {
        const trial = new Trial({ ...roomTerms, budget: {} });
        turnsUntilOver(trial, ending, new Draws(from));
        expect(['awaiting_person', 'completed']).toContain(trial.task.state);
      }),
      { numRuns: 1_000 },
    );
  });

  test('come to a person though they make progress in turn: rounds are bounded', () => {
    const trial = new Trial();
    const wavering: Stubbornness = ({ task }) => {
      const met = task.criteria[0]?.judgement === 'met';
      return [
        'DONE_WITH_CONCERNS',
        { judged: { C1: met ? 'unmet' : 'met' }, findings: [{ criterion: 'C1' }] },
      ];
    };
    turnsUntilOver(trial, wavering, new Draws(1));
    expect(trial.question).toMatchObject({ kind: 'budget', limit: 'rounds' });
  });
});

/** The owner changes something each time, and the others always say the same. */
function stubbornly(review: readonly [Verdict | null, EndingParts], ruling: Verdict | null): Stubbornness {
  return ({ turn }) => {
    switch (turn.purpose) {
      case 'work':
        return ['DONE', {}];
      case 'finish':
        return ['DONE', { equals: false }];
      case 'review':
        return review;
      case 'arbitrate':
        return [ruling, {}];
    }
  };
}
