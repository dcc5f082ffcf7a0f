import fc from 'fast-check';
import pico from 'picocolors';
import { describe, expect, it } from 'vitest';
import { rules } from '../../../../src/main/domain/tribunal/rules.ts';
import { progressAfter, progressFrom, progressLine } from '../../../../src/main/cli/rendering/progress.ts';
import { storyOf } from '../../../../src/main/cli/rendering/story.ts';
import {
  durationWords,
  moneyWords,
  oneLine,
  safeText,
  tokenWords,
} from '../../../../src/main/cli/rendering/values.ts';
import type { EventView } from '../../../../src/shared/contract/views.ts';
import { eventTypes } from '../../../../src/shared/vocabulary/event-types.ts';

const brief = { colours: pico.createColors(false), verbose: false };
const verbose = { ...brief, verbose: true };

function event(type: string, data: Record<string, unknown> = {}): EventView {
  return { seq: 1, id: 'evt_1', at: 0, type, room: null, task: 'task_1', turn: null, data };
}

/** The lines without their time of day. */
function told(type: string, data: Record<string, unknown>, style = brief): string[] {
  return storyOf(event(type, data), style).map((line, at) => (at === 0 ? line.slice(10) : line.trim()));
}

describe('storyOf', () => {
  it.each([
    ['task.started', { title: 'Mend it' }, ['Task started: Mend it']],
    [
      'turn.started',
      { role: 'owner', purpose: 'work', attempt: 1, engine: 'anthropic', model: 'm' },
      ['Owner works (anthropic m)'],
    ],
    [
      'turn.started',
      { role: 'reviewer', purpose: 'review', attempt: 2, engine: 'command', model: null },
      ['Reviewer reviews (command, try 2)'],
    ],
    ['tool.ended', { tool: 'run', ok: false, summary: 'exit code 1' }, ['✗ run (exit code 1)']],
    [
      'tool.ended',
      { tool: 'run', call: 'npm test', ok: true, summary: 'exit code 0' },
      ['✓ npm test (exit code 0)'],
    ],
    ['tool.ended', { tool: 'submit_verdict', ok: true, summary: 'DONE' }, []],
    [
      'tool.ended',
      { tool: 'submit_verdict', ok: false, summary: 'bad nonce' },
      ['✗ submit_verdict (bad nonce)'],
    ],
    ['verdict.read', { role: 'owner', verdict: null, reason: 'nothing said' }, []],
    [
      'verdict.read',
      { role: 'reviewer', verdict: null, reason: 'two words' },
      ['No verdict could be read: two words'],
    ],
    ['verdict.read', { role: 'owner', verdict: 'DONE', via: 'tool' }, []],
    ['turn.ended', { role: 'reviewer', verdict: 'DONE_WITH_CONCERNS' }, ['Reviewer says DONE_WITH_CONCERNS']],
    ['turn.ended', { role: 'owner', verdict: null }, ['Owner has ended']],
    [
      'turn.handed_over',
      {
        role: 'owner',
        from: { engine: 'claude-code', account: 'first' },
        to: { engine: 'codex', account: null },
        reason: 'It was told before.',
        until: new Date(2026, 0, 2, 15, 30).getTime(),
      },
      ['Owner goes on with codex, not claude-code (account first), which is used up until 2026-01-02 15:30.'],
    ],
    [
      'turn.handed_over',
      {
        role: 'owner',
        from: { engine: 'a' },
        to: { engine: 'b' },
        reason: 'its limit has passed',
        until: null,
      },
      ['Owner goes on with b, not a: its limit has passed'],
    ],
    [
      'turn.sealed',
      { container: 'docker 29, image x@sha256:1', attempts: [{ held: true }, { held: false }] },
      ['Sealed in a container: 1 of 2 attempts to get out failed.'],
    ],
    ['turn.due', { role: 'owner', purpose: 'work', afterMs: 10_000 }, ['Owner tries again in 10 s.']],
    ['turn.due', { role: 'owner', purpose: 'work', afterMs: 0 }, []],
    [
      'turn.failed',
      { reason: `No key. ${'Long advice. '.repeat(30)}` },
      [`The turn failed: No key. ${'Long advice. '.repeat(30).trim()}`],
    ],
    [
      'task.findings',
      { added: [{ id: 'F1', criterion: 'C1', severity: 'blocking', place: 'a.js:3', text: 'Wrong\nsign' }] },
      ['finding F1 blocking C1 a.js:3: Wrong sign'],
    ],
    ['task.completed', { ending: 'reviewed' }, ['Done, reviewed.']],
    [
      'task.apply_failed',
      { reason: 'The disk is full. Make room.' },
      ['The work was not brought into the checkout: The disk is full. Make room.'],
    ],
    ['task.decided', { rule: 'stop, in any state: content kept' }, []],
    [
      'task.decided',
      { rule: 'review DONE against its own criteria or findings: asked once', from: 'in_review' },
      ['The reviewer is asked again: review DONE against its own criteria or findings.'],
    ],
    [
      'task.decided',
      { rule: 'review with concerns of which none blocks: asked once to decide', from: 'in_review' },
      ['The reviewer is asked again: review with concerns of which none blocks.'],
    ],
    [
      'task.decided',
      { rule: 'nothing readable from the arbiter: asked once', from: 'in_arbitration' },
      ['The arbiter is asked again: nothing readable from the arbiter.'],
    ],
    ['call.recorded', { model: 'm', tokens: 5, usd: null }, []],
    ['some.later.version', { x: 1 }, []],
  ])('tells %s %j', (type, data, lines) => {
    expect(told(type, data)).toEqual(lines);
  });

  it('says of every rule that asks an agent once more that it does', () => {
    const asking = rules.map(({ name }) => name).filter((name) => name.includes('asked once'));
    expect(asking.length).toBeGreaterThan(0);
    for (const rule of asking) {
      expect(told('task.decided', { rule })).toEqual([expect.stringContaining('is asked again: ')]);
    }
  });

  it('tells what it does not know as it is, where everything is asked for', () => {
    expect(told('some.later.version', { x: 1 }, verbose)).toEqual(['some.later.version {"x":1}']);
  });

  it.each(eventTypes)('has words of its own for %s', (type) => {
    const [line = ''] = told(type, { added: [{}], criteria: [{}], text: 'words' }, verbose);
    expect(line).not.toBe('');
    expect(line).not.toContain(type);
  });

  it('says how much of a long speech is left out', () => {
    const text = Array.from({ length: 30 }, (_, at) => `line ${at}`).join('\n');
    const lines = told('turn.said', { text });
    expect(lines).toHaveLength(13);
    expect(lines.at(-1)).toBe('… 18 more lines (--verbose shows all)');
    expect(told('turn.said', { text }, verbose)).toHaveLength(30);
  });

  it('bears anything, and lets nothing through that moves the cursor', () => {
    const types = [...eventTypes, 'unknown'];
    const names = [
      'role',
      'text',
      'reason',
      'title',
      'summary',
      'tool',
      'verdict',
      'added',
      'criteria',
      'model',
    ];
    const nasty = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('\u001b[2J', 'a\rb', '\u009b31m', '\u202etxt', '\u001b]0;title\u0007'),
    );
    const value = fc.oneof(
      nasty,
      fc.jsonValue(),
      fc.array(fc.dictionary(fc.constantFrom('id', 'text', 'place'), nasty)),
    );
    fc.assert(
      fc.property(
        fc.constantFrom(...types),
        fc.dictionary(fc.constantFrom(...names), value),
        fc.boolean(),
        (type, data, everything) => {
          const text = storyOf(event(type, data), everything ? verbose : brief).join('');
          expect(text).not.toMatch(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/u);
        },
      ),
    );
  });
});

describe('the status line', () => {
  const spent = { usd: 0.5, tokens: 1_000, minutes: 3 };
  const start = progressFrom(spent, [], 0);

  it('says who does what, how long, and what it has cost', () => {
    const items = [
      { event: event('turn.started', { role: 'owner', purpose: 'work' }) },
      { event: event('call.recorded', { tokens: 500, usd: 0.25 }) },
      { event: event('tool.started', { tool: 'run', summary: 'npm test' }) },
    ];
    const progress = items.reduce(progressAfter, start);
    expect(progressLine(progress, 65_000, 80)).toBe('owner · run npm test · 1 m 05 s · 1.5 k tokens · $0.75');
  });

  it('says who is at work already, and since when', () => {
    const turns = [
      { role: 'reviewer', status: 'ended', startedAt: 0 },
      { role: 'owner', status: 'running', startedAt: 5_000 },
    ] as const;
    const progress = progressFrom(spent, turns, 60_000);
    expect(progressLine(progress, 65_000, 80)).toBe('owner · working · 1 m 00 s · 1.0 k tokens · $0.50');
  });

  it('shows the last line of a terminal', () => {
    const live = {
      task: 't',
      turn: 'u',
      kind: 'terminal_output',
      data: { data: 'one\r\n\u001b[32mtwo\u001b[0m\r\n' },
    };
    expect(progressAfter(start, { live }).doing).toBe('two');
  });

  it('does not guess a price', () => {
    const progress = progressAfter(start, { event: event('call.recorded', { tokens: 1, usd: null }) });
    expect(progressLine(progress, 0, 80)).toContain('price unknown');
  });

  it('fits into its columns', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', maxLength: 200 }),
        fc.integer({ min: 20, max: 200 }),
        (what, columns) => {
          const line = progressLine({ ...start, doing: what }, 0, columns);
          expect([...new Intl.Segmenter().segment(line)].length).toBeLessThanOrEqual(columns);
        },
      ),
    );
  });
});

describe('words', () => {
  it.each([
    [0, '0 s'],
    [59_999, '59 s'],
    [60_000, '1 m 00 s'],
    [3_599_999, '59 m 59 s'],
    [3_720_000, '1 h 02 m'],
  ])('%d ms is %s', (durationMs, words) => {
    expect(durationWords(durationMs)).toBe(words);
  });

  it.each([
    [0, '$0.00'],
    [0.0123, '$0.0123'],
    [1.005, '$1.00'],
    [null, 'price unknown'],
  ])('%s US dollars are %s', (usd, words) => {
    expect(moneyWords(usd)).toBe(words);
  });

  it.each([
    [999, '999 tokens'],
    [34_120, '34.1 k tokens'],
    [999_949, '999.9 k tokens'],
    [999_950, '1.00 M tokens'],
  ])('%d tokens are %s', (tokens, words) => {
    expect(tokenWords(tokens)).toBe(words);
  });

  it('cuts between characters, never within one', () => {
    expect(oneLine('👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦', 2)).toBe('👩‍👩‍👧‍👦…');
  });

  it('keeps line ends and takes other control characters out', () => {
    expect(safeText('a\u001b[31mb\u001b[0m\r\nc\u0007\td\u202e')).toBe('ab\nc  d');
  });
});
