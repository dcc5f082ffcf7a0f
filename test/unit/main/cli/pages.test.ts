import pico from 'picocolors';
import { describe, expect, it } from 'vitest';
import { endPage, taskPage } from '../../../../src/main/cli/rendering/pages.ts';
import type { TaskDetail } from '../../../../src/shared/contract/views.ts';

const colours = pico.createColors(false);

const done: TaskDetail = {
  task: {
    id: 'task_1',
    room: 'shop',
    title: 'Mend it',
    origin: 'message',
    state: 'completed',
    ending: 'unreviewed',
    role: null,
    waitsUntil: null,
    startedAt: 0,
    endedAt: 1,
    appliedAt: null,
    rounds: 1,
    spent: { usd: null, tokens: 1_500, minutes: 1 },
  },
  request: 'Mend it',
  criteria: [],
  findings: [],
  ruling: null,
  turns: [],
  escalation: null,
  base: 'snap_1',
  content: 'snap_2',
  approved: null,
  applicable: true,
  standsOn: [],
  leftOut: [],
  changes: [],
};

describe('the pages of a task that is done', () => {
  it.each([
    ['the task', taskPage],
    ['its end', endPage],
  ])('say on %s how to apply it, exactly where it can be', (_, page) => {
    const hint = 'Bring it into your checkout with: tribune apply task_1';
    expect(page(done, colours)).toContain(hint);
    expect(page({ ...done, applicable: false }, colours).join()).not.toContain('tribune apply');
  });

  it('name the work that comes along, because the task started from it', () => {
    const earlier = { id: 'task_0', title: 'Mend that', ending: 'unreviewed' } as const;
    expect(endPage({ ...done, standsOn: [earlier] }, colours)).toContain('  also: Mend that (unreviewed)');
    expect(endPage(done, colours).join()).not.toContain('comes along');
  });

  it('do not guess a price', () => {
    expect(endPage(done, colours).join()).toContain('1.5 k tokens, price unknown');
  });
});
