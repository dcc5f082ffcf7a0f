import { describe, expect, it } from 'vitest';
import { turnPrompt } from '../../../../../src/main/rooms/prompts/turn-prompt.ts';
import { namedOnce, secretShaped } from '../../../../../src/main/rooms/prompts/not-seen.ts';
import type { PromptMaterial, TurnAccount } from '../../../../../src/main/rooms/prompts/turn-prompt.ts';
import { Trial } from '../../../../support/trial.ts';

function material(trial: Trial, changes: Partial<PromptMaterial> = {}): PromptMaterial {
  return {
    task: trial.task,
    turn: trial.turn,
    nonce: 'n0nce',
    messages: [trial.task.request],
    history: [],
    changes: '',
    notSeen: [],
    dependencies: [],
    remembers: true,
    startedOver: false,
    ...changes,
  };
}

function account(role: TurnAccount['role'], text: string): TurnAccount {
  return { role, purpose: role === 'owner' ? 'work' : 'review', verdict: null, reason: null, text };
}

describe('what a turn is told', () => {
  it('every turn is told its nonce', () => {
    const trial = new Trial();
    expect(turnPrompt(material(trial))).toContain('The nonce of this turn is n0nce.');
    expect(turnPrompt(material(trial.worked()))).toContain('The nonce of this turn is n0nce.');
    expect(turnPrompt(material(trial.ends('DONE')))).toContain('The nonce of this turn is n0nce.');
  });

  it('the request stands once, and later messages beside it', () => {
    const trial = new Trial();
    const text = turnPrompt(material(trial, { messages: [trial.task.request, 'In red, please.'] }));
    expect(text.split(trial.task.request)).toHaveLength(2);
    expect(text).toContain('# Messages for you\n\nIn red, please.');
  });

  it('only the first turn is asked for criteria', () => {
    const trial = new Trial();
    expect(turnPrompt(material(trial))).toContain('proposing one to seven criteria');
    trial.worked().ends('DONE_WITH_CONCERNS', { findings: [{ criterion: 'C1', text: 'Zero.' }] });
    expect(turnPrompt(material(trial))).not.toContain('proposing');
  });

  it('the owner is given findings by id, and all that the reviewer said since', () => {
    const trial = new Trial({}, { criteria: ['It handles zero.'] }).worked();
    trial.ends('DONE_WITH_CONCERNS', {
      findings: [
        {
          criterion: 'C1',
          severity: 'blocking',
          place: 'a.ts:3',
          text: 'Zero is lost.',
          evidence: '0 → NaN',
        },
      ],
    });
    const history = [
      account('owner', 'Done.'),
      account('reviewer', 'First.'),
      account('reviewer', 'Second.'),
    ];
    const text = turnPrompt(material(trial, { history }));
    expect(text).toContain('- F1, blocking against C1 at a.ts:3: Zero is lost.\n  Evidence: 0 → NaN');
    expect(text).toContain('First.\n\nSecond.');
    expect(text).not.toContain('Done.');
  });

  it('the reviewer is given the criteria, the changes, and what is not reviewed', () => {
    const trial = new Trial({}, { criteria: ['It handles zero.'] }).worked();
    const text = turnPrompt(
      material(trial, {
        changes: 'a.ts +1',
        notSeen: [secretShaped('.env'), { what: 'b.ts', why: 'its changes did not fit into the prompt' }],
        dependencies: ['node_modules'],
      }),
    );
    expect(text).toContain('- C1: It handles zero. (not judged yet)');
    expect(text).toContain('# Changes since the task began\n\na.ts +1');
    expect(text).toContain('- .env: left out because it looks like a secret');
    expect(text).toContain('- node_modules: a dependency folder, to be read only');
  });

  it('a reviewer without a readable verdict is asked for just that', () => {
    const trial = new Trial({}, { criteria: ['It handles zero.'] }).worked().ends(null, { text: 'Hm.' });
    expect(turnPrompt(material(trial))).toMatch(/^No verdict could be counted from your answer/);
  });

  it('one whose session remembers nothing is told everything again with it', () => {
    const trial = new Trial({}, { criteria: ['It handles zero.'] }).worked().ends(null, { text: 'Hm.' });
    const text = turnPrompt(material(trial, { remembers: false, changes: 'a.ts +1' }));
    expect(text).toContain('# Changes since the task began\n\na.ts +1');
    expect(text).toContain('# Asked again\n\nNo verdict could be counted');
  });

  it('a reviewer whose concerns do not block is asked to decide', () => {
    const trial = new Trial({}, { criteria: ['It handles zero.'] }).worked();
    trial.ends('DONE_WITH_CONCERNS', { text: 'The name misleads.' });
    expect(turnPrompt(material(trial))).toMatch(/^None of your concerns blocks\./);
  });

  it('an owner whose earlier try was cut off is told what that had done', () => {
    const text = turnPrompt(material(new Trial(), { startedOver: true, changes: 'a.ts +1' }));
    expect(text).toContain('look before you repeat anything.\n\na.ts +1');
  });

  it('the arbiter too is told what it does not see', () => {
    const trial = new Trial().ends('BLOCKED', { text: 'No access.' });
    const text = turnPrompt(material(trial, { notSeen: [secretShaped('.env')] }));
    expect(text).toContain('# Not seen\n\n- .env: left out because it looks like a secret');
  });

  it('what is not seen is named once, and no more of it than can be read', () => {
    const many = Array.from({ length: 250 }, (_, index) => secretShaped(`${index}.pem`));
    const named = namedOnce([...many, ...many]);
    expect(named).toHaveLength(201);
    expect(named.at(-1)).toEqual({ what: '50 more', why: 'too many to name' });
  });

  it('the arbiter is given a bounded account', () => {
    const trial = new Trial().ends('BLOCKED', { text: 'No access.' });
    const history = Array.from({ length: 40 }, (_, index) =>
      account('owner', `turn ${index} ${'x'.repeat(9_000)}`),
    );
    const text = turnPrompt(material(trial, { history }));
    expect(text).toContain('The owner cannot go on.');
    expect(text).toContain('turn 39');
    expect(text).not.toContain('turn 20 ');
    expect(text.length).toBeLessThan(12 * 4_200 + 2_000);
  });
});
