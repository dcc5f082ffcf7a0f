import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LineReader } from '../../../../src/shared/contract/lines.ts';
import type { Line } from '../../../../src/shared/contract/lines.ts';

/** Reads a stream that is cut at these places. */
function readInPieces(bytes: Uint8Array, cuts: readonly number[], maxBytes = 1_000): Line[] {
  const reader = new LineReader(maxBytes);
  const places = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b);
  const lines: Line[] = [];
  let from = 0;
  for (const to of [...places, bytes.length]) {
    lines.push(...reader.push(bytes.subarray(from, to)));
    from = to;
  }
  return [...lines, ...reader.end()];
}

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

describe('LineReader', () => {
  it('reads the same lines however the bytes are cut, split characters included', () => {
    const line = fc
      .string({ unit: 'binary', minLength: 1, maxLength: 40 })
      .filter((text) => text.trim() !== '' && !text.includes('\n'));
    fc.assert(
      fc.property(fc.array(line, { maxLength: 6 }), fc.array(fc.nat(), { maxLength: 12 }), (texts, cuts) => {
        const bytes = encode(texts.map((text) => `${text}\n`).join(''));
        // A lone surrogate has no UTF-8; the encoder has written U+FFFD for it.
        const expected = texts.map((text) => ({ kind: 'text', text: text.toWellFormed().trim() }));
        expect(readInPieces(bytes, cuts)).toEqual(expected);
      }),
    );
  });

  it('reads any bytes the same however they are cut, too long and broken lines included', () => {
    const bytes = fc.array(fc.oneof(fc.constant(0x0a), fc.nat(255)), { maxLength: 120 });
    fc.assert(
      fc.property(bytes, fc.array(fc.nat(), { maxLength: 12 }), (numbers, cuts) => {
        const stream = Uint8Array.from(numbers);
        expect(readInPieces(stream, cuts, 10)).toEqual(readInPieces(stream, [], 10));
      }),
    );
  });

  it('skips a line that is too long to its end, and reads the next', () => {
    const bytes = encode(`${'é'.repeat(51)}\nshort\n`);
    expect(readInPieces(bytes, [10, 60, 100], 100)).toEqual([
      { kind: 'too_long' },
      { kind: 'text', text: 'short' },
    ]);
  });

  it('takes a line of just the most bytes', () => {
    expect(readInPieces(encode(`${'a'.repeat(100)}\n`), [], 100)).toEqual([
      { kind: 'text', text: 'a'.repeat(100) },
    ]);
  });

  it('keeps nothing of a line that is too long', () => {
    const reader = new LineReader(100);
    for (let piece = 0; piece < 1_000; piece += 1) reader.push(new Uint8Array(1_000).fill(0x61));
    expect(reader.end()).toEqual([{ kind: 'too_long' }]);
  });

  it('says of bytes that are not UTF-8 that they are none', () => {
    expect(readInPieces(Uint8Array.from([0xff, 0x0a, 0x61, 0x0a]), [1])).toEqual([
      { kind: 'not_utf8' },
      { kind: 'text', text: 'a' },
    ]);
  });
});
