import { describe, expect, test } from 'vitest';
import { GitProject } from '../../support/git-project.ts';
import { HostBench, questionOf } from '../../support/host-bench.ts';
import { runs, speaks, submits, writes } from '../../support/scripted-roles.ts';
import type { RoleScripts, Step } from '../../support/scripted-roles.ts';

/** What a reviewer hands in that sends the work back: the request is not met. */
const unmet: Step = submits('DONE_WITH_CONCERNS', {
  judgements: [{ id: 'C1', judgement: 'unmet' }],
  findings: [{ criterion: 'C1', severity: 'blocking', place: 'cart.txt:1', text: 'It is not full.' }],
});
const met: Step = submits('DONE', {
  judgements: [
    { id: 'C1', judgement: 'met' },
    { id: 'F1', judgement: 'met' },
  ],
});
const plainlyMet: Step = submits('DONE', { judgements: [{ id: 'C1', judgement: 'met' }] });
const silence: Step = speaks('');
const done: Step = submits('DONE');
const fills = (content: string): Step => writes('cart.txt', `${content}\n`);

async function benchWith(roles: RoleScripts): Promise<{ bench: HostBench; project: GitProject }> {
  const project = GitProject.withFiles({ 'cart.txt': 'empty\n' });
  const bench = await HostBench.open({ roles });
  await bench.room(project, { criteria: ['The cart is full.'] });
  return { bench, project };
}

/** Content of the file in the snapshot that a task ended with, as the changes are shown. */
async function diffOf(bench: HostBench, task: string): Promise<string> {
  return (await bench.ask('tasks.diff', { task })).text;
}

describe('a task ends as done, reviewed', () => {
  test('worked on, approved and finished, while the checkout stays as it was', async () => {
    const { bench, project } = await benchWith({
      owner: [fills('full'), done, silence],
      reviewer: [plainlyMet],
    });
    const { task, approved, changes } = await bench.work('shop', 'Fill the cart.');
    expect(task).toMatchObject({ state: 'completed', ending: 'reviewed' });
    expect(approved).not.toBeNull();
    expect(changes).toMatchObject([{ path: 'cart.txt', change: 'modified' }]);
    expect(bench.turnsOf(task.id)).toEqual(['owner work', 'reviewer review', 'owner finish']);
    expect(project.status).toBe('');
  });

  test('after it was sent back with a finding that the owner is told and deals with', async () => {
    const { bench } = await benchWith({
      owner: [fills('half'), done, fills('full'), done, silence],
      reviewer: [unmet, met],
    });
    const { task, findings } = await bench.work('shop', 'Fill the cart.');
    expect(task).toMatchObject({ ending: 'reviewed', rounds: 1 });
    expect(findings).toMatchObject([{ id: 'F1', criterion: 'C1', judgement: 'met' }]);
    const [, , second] = bench.roles.callsOf('owner');
    expect(second?.prompt).toContain('It is not full.');
    expect(await diffOf(bench, task.id)).toContain('+full');
  });

  test('the owner proposes criteria, the first review completes them, and then they are fixed', async () => {
    const { bench } = await benchWith({
      owner: [
        fills('half'),
        submits('DONE', { criteria: ['Nothing else has changed.'] }),
        fills('full'),
        submits('DONE', { criteria: ['Proposed too late.'] }),
        silence,
      ],
      reviewer: [
        submits('DONE_WITH_CONCERNS', {
          criteria: ['It ends in a line feed.'],
          judgements: [
            { id: 'C1', judgement: 'unmet' },
            { id: 'C2', judgement: 'met' },
            { id: 'C3', judgement: 'met' },
          ],
        }),
        submits('DONE', {
          criteria: ['Also too late.'],
          judgements: ['C1', 'C2', 'C3'].map((id) => ({ id, judgement: 'met' })),
        }),
      ],
    });
    const { task, criteria } = await bench.work('shop', 'Fill the cart.');
    expect(task.ending).toBe('reviewed');
    expect(criteria.map(({ text, source }) => `${source}: ${text}`)).toEqual([
      'room: The cart is full.',
      'owner: Nothing else has changed.',
      'reviewer: It ends in a line feed.',
    ]);
  });

  test('with verdicts in words alone', async () => {
    const { bench } = await benchWith({
      owner: [fills('full'), speaks('DONE. The cart is full.'), silence],
      reviewer: [speaks('Status: DONE\n\nI have read the change, and it is right.')],
    });
    const { task, turns } = await bench.work('shop', 'Fill the cart.');
    expect(task.ending).toBe('reviewed');
    expect(turns.map(({ verdict }) => verdict)).toEqual(['DONE', 'DONE', null]);
  });

  test('a review without a readable verdict is asked for it once, in the same session', async () => {
    const { bench } = await benchWith({
      owner: [fills('full'), done, silence],
      reviewer: [speaks('This looks almost done to me.'), plainlyMet],
    });
    const { task } = await bench.work('shop', 'Fill the cart.');
    expect(task).toMatchObject({ ending: 'reviewed', rounds: 0 });
    const [, asked] = bench.roles.callsOf('reviewer');
    expect(asked?.newest).toContain('No verdict could be counted');
    expect(asked?.conversation).toContain('This looks almost done to me.');
  });

  test('a review that stays without a verdict is feedback', async () => {
    const { bench } = await benchWith({
      owner: [fills('half'), done, fills('full'), done, silence],
      reviewer: [speaks('Hm.'), speaks('The cart is only half full.'), plainlyMet],
    });
    const { task } = await bench.work('shop', 'Fill the cart.');
    expect(task).toMatchObject({ ending: 'reviewed', rounds: 1 });
    expect(bench.roles.callsOf('owner')[2]?.prompt).toContain('The cart is only half full.');
  });

  test('DONE beside an unmet criterion is asked about once', async () => {
    const { bench } = await benchWith({
      owner: [fills('full'), done, silence],
      reviewer: [submits('DONE', { judgements: [{ id: 'C1', judgement: 'unmet' }] }), plainlyMet],
    });
    const { task } = await bench.work('shop', 'Fill the cart.');
    expect(task).toMatchObject({ ending: 'reviewed', rounds: 0 });
    expect(bench.rulesOf(task.id)).toContain('review DONE against its own criteria or findings: asked once');
  });

  test('two different verdict calls without a word are asked about once, not taken for silence', async () => {
    const both: Step = ({ nonce }) => ({
      kind: 'message',
      content: (['DONE', 'BLOCKED'] as const).map((verdict) => ({
        type: 'tool_use',
        name: 'submit_verdict',
        input: { verdict, nonce },
      })),
    });
    const bench = await HostBench.open({
      roles: {
        owner: [writes('cart.txt', 'full\n'), submits('DONE'), speaks('')],
        reviewer: [both, submits('DONE')],
      },
    });
    await bench.room(GitProject.withFiles({ 'cart.txt': 'empty\n' }));
    const { task } = await bench.work('shop', 'Fill the cart.');
    expect(task.ending).toBe('reviewed');
    expect(bench.rulesOf(task.id)).toContain('review without a readable verdict: asked once for it');
    expect(bench.eventsOf('turn.failed')).toEqual([]);
  });

  test('a server that counts tool ids anew in each session does not make a RESET owner skip its work', async () => {
    const writesAs =
      (id: string, path: string): Step =>
      () => ({
        kind: 'message',
        content: [{ type: 'tool_use', id, name: 'write_file', input: { path, text: 'made\n' } }],
      });
    const bench = await HostBench.open({
      roles: {
        owner: [
          writesAs('toolu_1', 'first.txt'),
          submits('BLOCKED'),
          writesAs('toolu_1', 'second.txt'),
          submits('DONE'),
          speaks(''),
        ],
        arbiter: [submits('RESET')],
        reviewer: [submits('DONE')],
      },
    });
    await bench.room(GitProject.withFiles({ 'cart.txt': 'empty\n' }));
    const { task, changes } = await bench.work('shop', 'Make it.');
    expect(task.ending).toBe('reviewed');
    expect(changes.map(({ path }) => path)).toEqual(['second.txt']);
  });

  test('concerns of which none blocks are asked once to decide', async () => {
    const { bench } = await benchWith({
      owner: [fills('full'), done, silence],
      reviewer: [
        submits('DONE_WITH_CONCERNS', {
          judgements: [{ id: 'C1', judgement: 'met' }],
          findings: [{ criterion: null, severity: 'minor', place: null, text: 'The name is odd.' }],
        }),
        plainlyMet,
      ],
    });
    const { task, findings } = await bench.work('shop', 'Fill the cart.');
    expect(task).toMatchObject({ ending: 'reviewed', rounds: 0 });
    expect(findings).toMatchObject([{ text: 'The name is odd.', severity: 'minor' }]);
    expect(bench.roles.callsOf('reviewer')[1]?.newest).toContain('None of your concerns blocks.');
  });

  test('a finishing turn that only commits leaves the content equal', async () => {
    const { bench } = await benchWith({
      owner: [
        fills('full'),
        done,
        runs('git -c user.name=O -c user.email=o@example.invalid commit -qam "Fill the cart"'),
        submits('DONE'),
      ],
      reviewer: [plainlyMet],
    });
    const { task } = await bench.work('shop', 'Fill the cart.');
    expect(task).toMatchObject({ ending: 'reviewed', rounds: 0 });
  });

  test('a finishing turn that changes the content is reviewed again', async () => {
    const { bench } = await benchWith({
      owner: [fills('full'), done, fills('full to the brim'), silence, silence],
      reviewer: [plainlyMet, plainlyMet],
    });
    const { task } = await bench.work('shop', 'Fill the cart.');
    expect(task).toMatchObject({ ending: 'reviewed', rounds: 1 });
    expect(bench.turnsOf(task.id)).toEqual([
      'owner work',
      'reviewer review',
      'owner finish',
      'reviewer review',
      'owner finish',
    ]);
    expect(await diffOf(bench, task.id)).toContain('+full to the brim');
  });

  test('what the finishing turn hides from a stat cache is seen', async () => {
    const { bench } = await benchWith({
      owner: [
        fills('full'),
        done,
        // The same length and the same times, so that only reading it shows the difference.
        runs('touch -r cart.txt stamp && printf "FULL\\n" > cart.txt && touch -r stamp cart.txt && rm stamp'),
        silence,
        silence,
      ],
      reviewer: [plainlyMet, plainlyMet],
    });
    const { task } = await bench.work('shop', 'Fill the cart.');
    expect(task).toMatchObject({ ending: 'reviewed', rounds: 1 });
    expect(await diffOf(bench, task.id)).toContain('+FULL');
  });
});

describe('the arbiter', () => {
  test('is called when the owner is blocked, and PROCEED lets the owner go on under the ruling', async () => {
    const { bench } = await benchWith({
      owner: [submits('BLOCKED', { summary: 'Which cart?' }), fills('full'), done, silence],
      arbiter: [submits('PROCEED', { summary: 'The only cart there is.' })],
      reviewer: [plainlyMet],
    });
    const { task, ruling } = await bench.work('shop', 'Fill the cart.');
    expect(task.ending).toBe('reviewed');
    expect(ruling).toContain('The only cart there is.');
    expect(bench.roles.callsOf('arbiter')[0]?.prompt).toContain('Which cart?');
    expect(bench.roles.callsOf('owner')[1]?.prompt).toContain('The only cart there is.');
  });

  test('overrules findings by PROCEED after a review, and the reviewer confirms within the ruling', async () => {
    const { bench } = await benchWith({
      owner: [fills('full'), done, silence],
      reviewer: [
        submits('NEEDS_CONTEXT', {
          judgements: [{ id: 'C1', judgement: 'unmet' }],
          findings: [{ criterion: 'C1', severity: 'blocking', place: null, text: 'Full of what?' }],
        }),
        submits('DONE'),
      ],
      arbiter: [submits('PROCEED', { summary: 'Of anything.', overruled: ['F1'] })],
    });
    const { task, findings } = await bench.work('shop', 'Fill the cart.');
    expect(task.ending).toBe('reviewed');
    expect(findings).toMatchObject([{ id: 'F1', overruled: true }]);
    expect(bench.roles.callsOf('reviewer')[1]?.prompt).toContain('Of anything.');
  });

  test('is called after three rounds without progress; REVISE sends the owner on with fresh rounds', async () => {
    const { bench } = await benchWith({
      owner: [
        ...[1, 2, 3].flatMap((round) => [fills(`round ${round}`), done]),
        fills('full'),
        submits('DONE'),
        silence,
      ],
      reviewer: [unmet, unmet, unmet, met],
      arbiter: [submits('REVISE', { summary: 'Write the word "full".' })],
    });
    const { task } = await bench.work('shop', 'Fill the cart.');
    expect(task).toMatchObject({ ending: 'reviewed', rounds: 0 });
    expect(bench.turnsOf(task.id).filter((turn) => turn === 'arbiter arbitrate')).toHaveLength(1);
  });

  test('RESET starts over: the worktree is back at the base, and a fresh owner has the ruling', async () => {
    const { bench } = await benchWith({
      owner: [
        writes('wrong.txt', 'wrong\n'),
        submits('BLOCKED', { summary: 'I went wrong.' }),
        runs('ls; cat cart.txt'),
        fills('full'),
        done,
        silence,
      ],
      arbiter: [submits('RESET', { summary: 'Start with the cart itself.' })],
      reviewer: [plainlyMet],
    });
    const { task, changes } = await bench.work('shop', 'Fill the cart.');
    expect(task.ending).toBe('reviewed');
    expect(changes.map(({ path }) => path)).toEqual(['cart.txt']);
    const [, , fresh, looked] = bench.roles.callsOf('owner');
    expect(fresh?.conversation).not.toContain('I went wrong.');
    expect(fresh?.prompt).toContain('Start with the cart itself.');
    expect(looked?.newest).not.toContain('wrong.txt');
    expect(bench.eventsOf('content.kept')).toHaveLength(1);
  });

  test('ESCALATE asks a person, whose words go to the owner', async () => {
    const { bench } = await benchWith({
      owner: [submits('BLOCKED'), fills('full'), done, silence],
      arbiter: [submits('ESCALATE', { summary: 'May the cart be blue?' })],
      reviewer: [plainlyMet],
    });
    const asked = await bench.work('shop', 'Fill the cart.');
    expect(questionOf(asked).text).toContain('May the cart be blue?');
    const { task } = await bench.answer(asked, 'send_back', 'It may.');
    expect(task.ending).toBe('reviewed');
    expect(bench.roles.callsOf('owner')[1]?.prompt).toContain('It may.');
  });

  test('gives nothing readable twice: a person is asked', async () => {
    const { bench } = await benchWith({
      owner: [submits('BLOCKED')],
      arbiter: [speaks('Both have a point.'), speaks('Both still have a point.')],
    });
    const asked = await bench.work('shop', 'Fill the cart.');
    expect(questionOf(asked).text).toContain('no readable ruling');
  });

  test('a third arbitration of one task is a person’s', async () => {
    const { bench } = await benchWith({
      owner: [submits('BLOCKED'), submits('BLOCKED'), submits('BLOCKED')],
      arbiter: [submits('PROCEED'), submits('PROCEED')],
    });
    const asked = await bench.work('shop', 'Fill the cart.');
    expect(questionOf(asked).text).toContain('ruled 2 times');
  });

  test('is called when approved work is changed a second time while finishing', async () => {
    const { bench } = await benchWith({
      owner: [fills('full'), done, fills('fuller'), silence, fills('fullest'), silence, silence],
      reviewer: [plainlyMet, plainlyMet, plainlyMet],
      arbiter: [submits('PROCEED', { summary: 'Let it be.' })],
    });
    const { task } = await bench.work('shop', 'Fill the cart.');
    expect(task.ending).toBe('reviewed');
    expect(await diffOf(bench, task.id)).toContain('+fullest');
  });
});

describe('a single room', () => {
  const single = { mode: 'single' } as const;

  test('is done, unreviewed, when its owner ends', async () => {
    const project = GitProject.withFiles({ 'cart.txt': 'empty\n' });
    const bench = await HostBench.open({ roles: { owner: [fills('full'), done] } });
    await bench.room(project, single);
    const { task } = await bench.work('shop', 'Fill the cart.');
    expect(task).toMatchObject({ ending: 'unreviewed' });
    expect(await diffOf(bench, task.id)).toContain('+full');
  });

  test('asks a person where its owner is blocked', async () => {
    const project = GitProject.withFiles({ 'cart.txt': 'empty\n' });
    const bench = await HostBench.open({
      roles: { owner: [submits('NEEDS_CONTEXT', { summary: 'Which cart?' }), fills('full'), done] },
    });
    await bench.room(project, single);
    const asked = await bench.work('shop', 'Fill the cart.');
    expect(questionOf(asked).text).toContain('Which cart?');
    expect((await bench.answer(asked, 'send_back', 'The blue one.')).task.ending).toBe('unreviewed');
  });
});

describe('a directory that is no repository', () => {
  test('is worked in directly', async () => {
    const project = new GitProject();
    project.write({ 'cart.txt': 'empty\n' });
    const bench = await HostBench.open({
      roles: { owner: [fills('full'), done, silence], reviewer: [submits('DONE')] },
    });
    await bench.room(project);
    const { task, changes } = await bench.work('shop', 'Fill the cart.');
    expect(task.ending).toBe('reviewed');
    expect(project.text('cart.txt')).toBe('full\n');
    expect(project.has('.git')).toBe(false);
    expect(changes).toMatchObject([{ path: 'cart.txt' }]);
    const refusal = await bench.refused('tasks.apply', { task: task.id });
    expect(refusal.message).toContain('directly');
  });

  test('RESET asks a person before it puts the directory back', async () => {
    const project = new GitProject();
    project.write({ 'cart.txt': 'empty\n' });
    const bench = await HostBench.open({
      roles: {
        owner: [fills('wrong'), submits('BLOCKED'), writes('other.txt', 'full\n'), done, silence],
        arbiter: [submits('RESET', { summary: 'Leave the cart alone.' })],
        reviewer: [submits('DONE')],
      },
    });
    await bench.room(project);
    const asked = await bench.work('shop', 'Fill the cart.');
    expect(questionOf(asked)).toMatchObject({ answers: ['accept', 'send_back', 'go_on', 'stop'] });
    expect(project.text('cart.txt')).toBe('wrong\n');
    const { task } = await bench.answer(asked, 'go_on');
    expect(task.ending).toBe('reviewed');
    expect(project.text('cart.txt')).toBe('empty\n');
    expect(project.text('other.txt')).toBe('full\n');
  });
});
