import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CompletionReader } from '../../../../src/main/terminals/completion.ts';

const mark = (token: string, code: number): string => `\u001b]7717;${token};${code}\u0007`;

/** Feeds a stream cut at these places, and gives all output and the exit code. */
function readInPieces(token: string, stream: string, cuts: readonly number[]) {
  const reader = new CompletionReader(token);
  const places = [...new Set(cuts.map((cut) => cut % (stream.length + 1)))].sort((a, b) => a - b);
  let output = '';
  let exitCode: number | null = null;
  let from = 0;
  for (const to of [...places, stream.length]) {
    const read = reader.read(stream.slice(from, to));
    output += read.output;
    exitCode ??= read.exitCode;
    from = to;
  }
  return { output, exitCode, rest: reader.rest() };
}

describe('CompletionReader', () => {
  it('finds the mark and all output before it, wherever the stream is cut', () => {
    fc.assert(
      fc.property(
        fc.string().filter((text) => !text.includes('\u001b]7717;tok;')),
        fc.nat(255),
        fc.array(fc.nat(), { maxLength: 8 }),
        (output, code, cuts) => {
          const read = readInPieces('tok', output + mark('tok', code), cuts);
          expect(read).toEqual({ output, exitCode: code, rest: '' });
        },
      ),
    );
  });

  it('gives back what only looked like the beginning of a mark', () => {
    const read = readInPieces('tok', 'a\u001b]7717;to', [1, 4]);
    expect(read.output + read.rest).toBe('a\u001b]7717;to');
    expect(read.exitCode).toBeNull();
  });

  it('lets nothing through that comes after the mark', () => {
    const read = readInPieces('tok', `out${mark('tok', 0)}late`, [3, 20]);
    expect(read).toEqual({ output: 'out', exitCode: 0, rest: '' });
  });

  it('takes the mark of another terminal for output', () => {
    const stream = mark('other', 0);
    expect(readInPieces('tok', stream, []).output).toBe(stream);
  });
});
