import { describe, expect, test } from 'vitest';
import { rules } from '../../../../src/main/domain/tribunal/rules.ts';
import { shownRules } from '../../../support/trial.ts';
import { arbitrationRows } from './rows/arbitration.ts';
import { budgetRows } from './rows/budget.ts';
import { criteriaRules, progressRules } from './rows/criteria.ts';
import { failureRows } from './rows/failures.ts';
import { finishingRows } from './rows/finishing.ts';
import { messageRows } from './rows/messages.ts';
import { ownerRows } from './rows/owner.ts';
import { personRows } from './rows/person.ts';
import { reviewRows } from './rows/review.ts';

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

  // Stands last: the tests above note the rows that they show.
  test.each(rules.map(({ name }) => name))('shows by an example: %s', (name) => {
    expect(shownRules).toContain(name);
  });
});
