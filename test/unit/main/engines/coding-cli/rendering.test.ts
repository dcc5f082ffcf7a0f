import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CliEvent } from '../../../../../src/main/engines/coding-cli/dialect.ts';
import { harmless, render } from '../../../../../src/main/engines/coding-cli/rendering.ts';

const events: readonly CliEvent[] = [
  { kind: 'session', id: 's' },
  { kind: 'input_taken', id: 'i' },
  { kind: 'text', text: 'I look at it.\n' },
  { kind: 'tool_started', id: 't', tool: 'Bash', summary: '$ npm test\nmore', input: {} },
  { kind: 'tool_ended', id: 't', ok: true, answer: '12 passed\n' },
  { kind: 'tool_started', id: 'u', tool: 'Read', summary: 'a.ts', input: {} },
  { kind: 'tool_ended', id: 'u', ok: false, answer: 'no such file' },
  { kind: 'notice', text: 'A call failed; it is tried again.' },
  { kind: 'answered' },
];

describe('the rendering of what a program says', () => {
  it('reads well', () => {
    expect(stripVTControlCharacters(events.map(render).join(''))).toBe(
      [
        'I look at it.',
        '',
        '▸ Bash $ npm test',
        '  ✓ 12 passed',
        '',
        '▸ Read a.ts',
        '  ✗ no such file',
        '',
        '· A call failed; it is tried again.',
        '',
      ].join('\n'),
    );
  });

  it('lets no control sequence of the agent through', () => {
    const evil = fc.string({
      unit: fc.constantFrom(
        '\u001b',
        '[',
        ']',
        '0',
        ';',
        '2',
        'J',
        'm',
        '\u0007',
        '\u009b',
        '\r',
        '\b',
        '\u202e',
        'x',
        '\n',
      ),
    });
    fc.assert(
      fc.property(evil, (text) => {
        // eslint-disable-next-line no-control-regex -- control characters are what it is about
        expect(harmless(text)).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
        const shown = render({ kind: 'tool_started', id: 't', tool: text, summary: text, input: {} });
        // Ours are the only ones.
        expect(shown.split('\u001b')).toHaveLength(3);
      }),
    );
  });
});
