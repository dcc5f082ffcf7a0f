import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { markdownLines } from '../../../../../src/main/domain/verdict/markdown-lines.ts';
import { readVerdict } from '../../../../../src/main/domain/verdict/read-verdict.ts';
import { arbiterVerdicts, roles, workVerdicts } from '../../../../../src/shared/vocabulary/words.ts';
import type { Role } from '../../../../../src/shared/vocabulary/words.ts';

const caseSchema = z.strictObject({
  role: z.enum(roles),
  text: z.string(),
  verdict: z.enum([...workVerdicts, ...arbiterVerdicts]).nullable(),
  why: z.string().min(1),
});
const fixture = new URL('../../../../fixtures/verdicts.json', import.meta.url);
const cases = z.array(caseSchema).parse(JSON.parse(readFileSync(fixture, 'utf8')));

function verdictIn(role: Role, text: string): string | null {
  const reading = readVerdict(role, text);
  return reading.kind === 'verdict' ? reading.verdict : null;
}

/** One of the texts of the fixture, or lines put together from what status lines are made of. */
const anyCase = fc.constantFrom(...cases);
const anyLine = fc
  .array(
    fc.constantFrom(
      ...[
        'DONE',
        'BLOCKED',
        'done',
        'LGTM',
        'PROCEED',
        'NEEDS_CONTEXT',
        'DONE_WITH_CONCERNS',
        'Status:',
        '**',
        '`',
        '_',
      ],
      ...[
        '(',
        ')',
        '[x] ',
        '[ ] ',
        '- ',
        '1. ',
        '## ',
        '> ',
        '```',
        '~~~',
        '    ',
        '\t',
        ' ',
        '. ',
        ': ',
        ' — ',
        '✅',
        '❌',
      ],
      ...[
        'not ',
        'but ',
        'no ',
        '?',
        "n't",
        '<internal>',
        '</internal>',
        '<!--',
        '-->',
        'О',
        '\u200b',
        '\u0301',
        'x',
      ],
    ),
    { maxLength: 8 },
  )
  .map((parts) => parts.join(''));
const anyText = fc.array(anyLine, { maxLength: 16 }).map((lines) => lines.join('\n'));

const statusLines = workVerdicts.flatMap((verdict) =>
  [
    verdict,
    `**${verdict}**`,
    `- ${verdict}`,
    `Status: ${verdict}`,
    `${verdict}. Read it all.`,
    `✅ ${verdict}`,
  ].map((line) => ({
    verdict,
    line,
  })),
);
const anyStatusLine = fc.constantFrom(...statusLines);
const anyProse = fc.array(fc.constantFrom('I read it.', '', 'The tests ran.', '- the parser', '> quoted'), {
  maxLength: 5,
});

describe('readVerdict', () => {
  it.each(cases)('$# $role, $why: $verdict', ({ role, text, verdict }) => {
    expect({ text, verdict: verdictIn(role, text) }).toEqual({ text, verdict });
  });

  it('says which line does not count, and why', () => {
    expect(readVerdict('reviewer', 'I read it.\nDONE: not yet')).toEqual({
      kind: 'none',
      reason: 'The line "DONE: not yet" does not count: "not" in its remark takes "DONE" back.',
    });
    expect(readVerdict('reviewer', 'DONE\n\nBLOCKED')).toEqual({
      kind: 'none',
      reason: 'The line "BLOCKED" does not count: it gives a second verdict, BLOCKED, beside DONE.',
    });
    expect(readVerdict('arbiter', 'DONE')).toEqual({
      kind: 'none',
      reason: 'The line "DONE" does not count: "DONE" is no word of the arbiter\'s.',
    });
    expect(readVerdict('reviewer', '> DONE')).toEqual({
      kind: 'none',
      reason: 'Nothing was said, or all of it is quoted, code or an internal note.',
    });
  });

  it('quotes no more of a long line than a person reads', () => {
    const reading = readVerdict('reviewer', `DONE: not ${'so '.repeat(10_000)}`);
    expect(reading.kind === 'none' && reading.reason.length).toBeLessThan(250);
  });
});

describe('whatever the text', () => {
  it('gives only a verdict of the role, and never throws', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...roles),
        fc.oneof(anyText, fc.string({ unit: 'binary', maxLength: 80 })),
        (role, text) => {
          const words: readonly string[] = role === 'arbiter' ? arbiterVerdicts : workVerdicts;
          const verdict = verdictIn(role, text);
          expect(verdict === null || words.includes(verdict)).toBe(true);
        },
      ),
      { numRuns: 3_000 },
    );
  });

  it('zero-width characters change nothing', () => {
    const zeroWidth = fc.constantFrom('\u200b', '\u200d', '\ufeff', '\u2060', '\ufe0f', '\u202e', '\u00ad');
    fc.assert(
      fc.property(
        anyCase,
        fc.array(fc.tuple(fc.nat(), zeroWidth), { maxLength: 10 }),
        ({ role, text, verdict }, inserted) => {
          const characters = Array.from(text);
          for (const [at, character] of inserted)
            characters.splice(at % (characters.length + 1), 0, character);
          expect(verdictIn(role, characters.join(''))).toBe(verdict);
        },
      ),
      { numRuns: 3_000 },
    );
  });

  it('a quote, indented code, a fence or an internal block around it leaves no verdict', () => {
    fc.assert(
      fc.property(anyCase, ({ role, text }) => {
        // A block would become a line break within the quote.
        const visible = text.replace(/<\/?internal[^>]*>/gi, '');
        const lines = visible.split(/\r\n|[\n\r\u0085\u2028\u2029]/);
        expect(verdictIn(role, lines.map((line) => `> ${line}`).join('\n'))).toBe(null);
        expect(verdictIn(role, lines.map((line) => `    ${line}`).join('\n'))).toBe(null);
        expect(verdictIn(role, `\`\`\`\`\`\`\n${visible}\n\`\`\`\`\`\``)).toBe(null);
        expect(verdictIn(role, `<internal>${visible}</internal>`)).toBe(null);
      }),
    );
  });

  it('a status line among prose is found, and a different second one undoes it', () => {
    fc.assert(
      fc.property(anyProse, anyStatusLine, anyProse, anyStatusLine, (before, first, between, second) => {
        const one = [...before, '', first.line, '', ...between];
        expect(verdictIn('reviewer', one.join('\n'))).toBe(first.verdict);
        const both = [first.line, '', ...between, '', second.line].join('\n');
        expect(verdictIn('reviewer', both)).toBe(first.verdict === second.verdict ? first.verdict : null);
      }),
      { numRuns: 1_000 },
    );
  });

  it('the line breaks of other systems mean the same', () => {
    fc.assert(
      fc.property(
        anyCase,
        fc.constantFrom('\r\n', '\r', '\u2028', '\u0085'),
        ({ role, text, verdict }, lineBreak) => {
          expect(verdictIn(role, text.replace(/\r\n|[\n\r\u0085\u2028\u2029]/g, lineBreak))).toBe(verdict);
        },
      ),
      { numRuns: 2_000 },
    );
  });
});

describe('long texts', () => {
  it('are read no further than the verdict needs', () => {
    const lines = markdownLines(`DONE\nok\n${'x\n'.repeat(1_000_000)}`);
    expect(lines.next().value).toEqual({ kind: 'speech', text: 'DONE' });
    expect(lines.next().value).toEqual({ kind: 'speech', text: 'ok' });
    lines.return(undefined);
  });

  it('a million line breaks in a row are one blank line, whatever system they come from', () => {
    for (const lineBreak of ['\n', '\r\n', '\r', '\u2028']) {
      expect([...markdownLines(`DONE${lineBreak.repeat(1_000_000)}ok`)]).toEqual([
        { kind: 'speech', text: 'DONE' },
        { kind: 'blank', text: '' },
        { kind: 'speech', text: 'ok' },
      ]);
      expect([...markdownLines(`DONE${lineBreak}ok`)]).toHaveLength(2);
    }
  });

  // Work that grows with the square of the length would take hours here.
  const units = [
    '- ',
    '1. ',
    '# ',
    'a',
    ' ',
    '*',
    '( ',
    '`',
    '✅',
    '<internal>',
    '<internal ',
    '\u001b[0',
    '\n',
    'no ',
    'with ',
  ];
  it.each(units)(
    'half a million characters of %j hurt neither before, in nor after a status line',
    (unit) => {
      const flood = unit.repeat(500_000 / unit.length);
      for (const text of [flood, `DONE: ${flood}`, `DONE\n${flood}`, `${flood}DONE`, `DONE ${flood}x`]) {
        expect(readVerdict('reviewer', text).kind).toMatch(/^(verdict|none)$/);
      }
    },
  );

  // A group that repeats without a bound would exhaust the regular expression's stack here, and throw.
  it.each(['- ', "a'"])('10 million characters of %j exhaust nothing', (unit) => {
    const flood = unit.repeat(10_000_000 / unit.length);
    expect(readVerdict('reviewer', flood).kind).toBe('none');
    expect(verdictIn('reviewer', `DONE: ${flood}`)).toBe('DONE');
  });
});
