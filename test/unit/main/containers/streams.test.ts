import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Demultiplexer } from '../../../../src/main/containers/demultiplexer.ts';
import { MarkReader } from '../../../../src/main/containers/marks.ts';

/** The bytes in pieces, cut at these places. */
function cutAt(bytes: Buffer, places: readonly number[]): Buffer[] {
  const cuts = [...new Set(places.map((place) => place % (bytes.length + 1)))].sort(
    (one, other) => one - other,
  );
  return [0, ...cuts].map((from, at) => bytes.subarray(from, cuts[at]));
}

const places = fc.array(fc.nat(2_000), { maxLength: 30 });

describe('an exec whose streams come as one', () => {
  it('is taken apart, however it is cut', () => {
    const pieces = fc.array(
      fc.record({ stream: fc.constantFrom(1, 2), content: fc.uint8Array({ maxLength: 50 }) }),
    );
    fc.assert(
      fc.property(pieces, places, (sent, cuts) => {
        const wire = Buffer.concat(
          sent.map(({ stream, content }) => {
            const header = Buffer.alloc(8);
            header[0] = stream;
            header.writeUInt32BE(content.length, 4);
            return Buffer.concat([header, content]);
          }),
        );
        const got: [Buffer[], Buffer[]] = [[], []];
        const reader = new Demultiplexer(
          (piece) => void got[0].push(piece),
          (piece) => void got[1].push(piece),
        );
        for (const chunk of cutAt(wire, cuts)) reader.read(chunk);
        for (const stream of [1, 2] as const) {
          const whole = Buffer.concat(
            sent.filter((piece) => piece.stream === stream).map(({ content }) => content),
          );
          expect(Buffer.concat(got[stream - 1] ?? []).equals(whole)).toBe(true);
        }
      }),
    );
  });
});

describe('the marks in a stream', () => {
  const mark = (word: string): string => `\u001b]7717;token;${word}\u0007`;
  /** Made of what marks are made of, so that beginnings of them are common. */
  const output = fc.string({
    unit: fc.constantFrom('\u001b', ']', '7717;', 'token;', 'tok', 'en', 'é', '\u0007'),
  });
  const without = output.filter((text) => !text.includes('\u001b]7717;token;'));

  it('are taken out, however the stream is cut, and nothing else is', () => {
    fc.assert(
      fc.property(without, without, without, places, (before, between, after, cuts) => {
        const text = `${before}${mark('begun')}${between}${mark('0')}${after}`;
        // An output that ends as a mark begins would make another text with it.
        fc.pre(text.split('\u001b]7717;token;').length === 3);
        const reader = new MarkReader('token');
        const outputs: Buffer[] = [];
        const words: string[] = [];
        for (const chunk of cutAt(Buffer.from(text), cuts)) {
          const read = reader.read(chunk);
          outputs.push(read.output);
          words.push(...read.words);
        }
        expect(Buffer.concat([...outputs, reader.rest()]).toString()).toBe(before + between + after);
        expect(words).toEqual(['begun', '0']);
      }),
    );
  });

  it('of another token are output', () => {
    const other = '\u001b]7717;other;0\u0007';
    expect(new MarkReader('token').read(Buffer.from(other))).toEqual({
      output: Buffer.from(other),
      words: [],
    });
  });
});
