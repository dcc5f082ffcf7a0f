import pico from 'picocolors';
import { describe, expect, it } from 'vitest';
import { parseCommandLine } from '../../../../src/main/cli/program.ts';
import type { Parsed } from '../../../../src/main/cli/program.ts';

function parse(...words: string[]): Parsed & { readonly out: string; readonly complaints: string } {
  let out = '';
  let complaints = '';
  const parsed = parseCommandLine(words, '1.2.3', {
    write: (text) => (out += text),
    complain: (text) => (complaints += text),
    colours: pico.createColors(false),
  });
  return { ...parsed, out, complaints };
}

const commands = [
  ['run'],
  ['send'],
  ['rooms'],
  ['rooms', 'set'],
  ['tasks'],
  ['show'],
  ['apply'],
  ['stop'],
  ['escalations'],
  ['answer'],
  ['start'],
  ['events'],
  ['verdict'],
  ['doctor'],
];

describe('parseCommandLine', () => {
  it.each(commands)('%s %s has help with examples', (...words) => {
    const { out, ...parsed } = parse(...words, '--help');
    expect(parsed).toMatchObject({ kind: 'exit', code: 0 });
    expect(out).toContain(`Usage: tribune ${words.join(' ')}`);
    expect(out).toContain('Examples:\n  $ ');
  });

  it('names every command in its help', () => {
    const { out } = parse('--help');
    for (const [name] of commands) expect(out).toMatch(new RegExp(`^  ${name ?? ''} `, 'm'));
  });

  it('prints the version', () => {
    expect(parse('--version')).toMatchObject({ kind: 'exit', code: 0, out: '1.2.3\n' });
  });

  it.each([
    [[]],
    [['fly']],
    [['run', '--nonsense']],
    [['show']],
    [['tasks', '--limit', '0']],
    [['tasks', '--limit', '1e2']],
    [['run', '--owner', 'gpt', 'x']],
    [['run', '--permissions', 'some', 'x']],
    [['run', '--fallback-owner', 'gpt', 'x']],
    [['run', '--owner', 'command:', 'x']],
    [['run', '--budget-usd', '-1', 'x']],
    [['run', '--mode', 'pair', 'x']],
    [['answer', 'esc', 'maybe']],
    [['verdict']],
    [['verdict', '--role', 'king']],
  ])('%j is wrong usage', (words) => {
    const { complaints, ...parsed } = parse(...words);
    expect(parsed).toMatchObject({ kind: 'exit', code: 2 });
    expect(complaints).not.toBe('');
  });

  it('reads a piece of work with a room’s settings', () => {
    const parsed = parse(
      ...['run', '--dir', 'shop', '--mode', 'single', '--owner', 'anthropic:claude-sonnet-4-5'],
      ...[
        '--reviewer',
        'command:./agent.sh --fast',
        '--setup',
        'npm ci',
        '--dependency',
        'a',
        '--dependency',
        'b',
      ],
      ...['--criterion', 'tests pass', '--budget-usd', '2.5', '--budget-rounds', '3', 'Make', 'it', 'so'],
    );
    expect(parsed).toMatchObject({
      kind: 'call',
      call: {
        command: 'run',
        words: ['Make', 'it', 'so'],
        directory: 'shop',
        room: null,
        json: false,
        wait: true,
        verbose: false,
        flags: {
          mode: 'single',
          owner: { engine: 'anthropic', model: 'claude-sonnet-4-5', command: null },
          reviewer: { engine: 'command', model: null, command: ['./agent.sh', '--fast'] },
          setup: 'npm ci',
          dependency: ['a', 'b'],
          criterion: ['tests pass'],
          budgetUsd: 2.5,
          budgetRounds: 3,
        },
      },
    });
  });

  it('changes no setting of a room that no flag names', () => {
    const parsed = parse('run', 'x');
    if (parsed.kind !== 'call' || parsed.call.command !== 'run') throw new Error('It is a run.');
    const { mode, setup, dependency, criterion, owner, budgetUsd, sealOwner } = parsed.call.flags;
    const all = [mode, setup, dependency, criterion, owner, budgetUsd, sealOwner];
    expect(all).toEqual(all.map(() => undefined));
  });

  it('gives a flag to the command that it stands behind', () => {
    expect(parse('rooms', 'set', 'shop', '--json')).toMatchObject({
      call: { command: 'set-room', json: true },
    });
    expect(parse('rooms', '--json')).toMatchObject({ call: { command: 'rooms', json: true } });
  });

  it('reads what an owner may do, where it works, and who takes over', () => {
    const words = ['--permissions', 'ask', '--seal-owner', '--fallback-owner', 'codex:gpt-5.6-terra'];
    expect(parse('run', ...words, '--fallback-arbiter', 'none', 'x')).toMatchObject({
      call: {
        flags: {
          permissions: 'ask',
          sealOwner: true,
          fallbackOwner: { engine: 'codex', model: 'gpt-5.6-terra', command: null },
          fallbackArbiter: 'none',
        },
      },
    });
    expect(parse('rooms', 'set', 'shop', '--no-seal-owner')).toMatchObject({
      call: { flags: { sealOwner: false } },
    });
  });

  it('takes a setup out with --no-setup', () => {
    expect(parse('rooms', 'set', 'shop', '--no-setup')).toMatchObject({
      call: { command: 'set-room', room: 'shop', flags: { setup: false } },
    });
  });

  it('takes words that begin with a dash behind --, and - for standard input', () => {
    expect(parse('send', 'shop', '--', '-v')).toMatchObject({ call: { words: ['-v'], verbose: false } });
    expect(parse('send', 'shop', '-')).toMatchObject({ call: { words: ['-'] } });
  });

  it('reads an answer with either sign', () => {
    expect(parse('answer', 'QX2M', 'send-back', 'no', '--criterion', 'a', '--drop', 'C2')).toMatchObject({
      call: { answer: 'send_back', words: ['no'], criteria: ['a'], dropped: ['C2'] },
    });
    expect(parse('answer', 'QX2M', 'go_on', '--no-wait', '--json')).toMatchObject({
      call: { answer: 'go_on', wait: false, json: true },
    });
  });
});
