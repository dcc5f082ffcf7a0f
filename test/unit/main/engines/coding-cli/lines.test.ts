import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LineSplitter } from '../../../../../src/main/engines/coding-cli/lines.ts';

function split(chunks: readonly Uint8Array[], maxBytes = 1_000) {
  const lines: string[] = [];
  let tooLong = 0;
  const splitter = new LineSplitter(
    maxBytes,
    (line) => lines.push(line),
    () => (tooLong += 1),
  );
  for (const chunk of chunks) splitter.push(chunk);
  return { lines, rest: splitter.rest(), tooLong };
}

/** The text cut at these places, wherever its characters are. */
function cut(text: string, places: readonly number[]): readonly Uint8Array[] {
  const bytes = Buffer.from(text);
  const ends = [...new Set(places.map((place) => place % (bytes.length + 1)))].sort((a, b) => a - b);
  return [...ends, bytes.length].map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end));
}

describe('the line splitter', () => {
  it('gives the lines of the text, however it comes in pieces', () => {
    const line = fc.string({ unit: 'binary' }).map((text) => text.replaceAll('\n', ' '));
    fc.assert(
      fc.property(fc.array(line), line, fc.array(fc.nat()), (lines, rest, places) => {
        const whole = lines.map((each) => `${each}\n`).join('') + rest;
        const expected = (text: string): string => Buffer.from(text).toString();
        expect(split(cut(whole, places), 100_000)).toEqual({
          lines: lines.map(expected),
          rest: expected(rest),
          tooLong: 0,
        });
      }),
    );
  });

  it('lets a line be as long as the limit, counted in bytes', () => {
    expect(split([Buffer.from('ää\n')], 4)).toMatchObject({ lines: ['ää'], tooLong: 0 });
    expect(split([Buffer.from('äää\n')], 4)).toMatchObject({ lines: [], tooLong: 1 });
  });

  it('says once that a line is too long, and reads no more', () => {
    const chunk = Buffer.alloc(600, 'x');
    expect(split([Buffer.from('one\n'), chunk, chunk, chunk, Buffer.from('\ntwo\n')])).toEqual({
      lines: ['one'],
      rest: '',
      tooLong: 1,
    });
  });
});
