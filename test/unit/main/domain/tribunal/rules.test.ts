import { describe, expect, test } from 'vitest';
import { MAX_RETRIES, retryDelayMs } from '../../../../../src/main/domain/schedule/retry.ts';
import {
  CHANGED_FINISHES,
  MAX_ARBITRATIONS,
  ROUNDS_WITHOUT_PROGRESS,
} from '../../../../../src/main/domain/tribunal/limits.ts';
import { rules } from '../../../../../src/main/domain/tribunal/rules.ts';
import { shownRules } from '../../../../support/trial.ts';
import { arbitrationRows } from './rows/arbitration.ts';
import { budgetRows } from './rows/budget.ts';
import { criteriaRules, progressRules } from './rows/criteria.ts';
import { failureRows } from './rows/failures.ts';
import { finishingRows } from './rows/finishing.ts';
import { messageRows } from './rows/messages.ts';
import { ownerRows } from './rows/owner.ts';
import { personRows } from './rows/person.ts';
import { reviewRows } from './rows/review.ts';

// In this order also where tests are shuffled: what is said of the table stands on what the rows have shown.
describe('the tribunal', { shuffle: false }, () => {
  messageRows();
  personRows();
  failureRows();
  ownerRows();
  reviewRows();
  finishingRows();
  arbitrationRows();
  budgetRows();
  criteriaRules();
  progressRules();

  describe('the table', () => {
    test('has one row of each name', () => {
      expect(new Set(rules.map(({ name }) => name)).size).toBe(rules.length);
    });

    test('says the numbers that hold', () => {
      expect([ROUNDS_WITHOUT_PROGRESS, CHANGED_FINISHES, MAX_ARBITRATIONS, MAX_RETRIES]).toEqual([
        3, 2, 2, 5,
      ]);
      expect(Array.from({ length: MAX_RETRIES }, (_, retries) => retryDelayMs(retries))).toEqual(
        [0, 1, 2, 3, 4].map((n) => 5_000 * 2 ** n),
      );
    });

    test.each(rules.map(({ name }) => name))('shows by an example: %s', (name) => {
      expect(shownRules).toContain(name);
    });
  });
});
