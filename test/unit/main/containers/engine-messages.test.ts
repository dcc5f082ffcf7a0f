import { Readable } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { engineMessages } from '../../../../src/main/containers/image/engine-messages.ts';

async function read(chunks: readonly Uint8Array[]): Promise<unknown[]> {
  const messages: unknown[] = [];
  for await (const message of engineMessages(Readable.from(chunks))) messages.push(message);
  return messages;
}

describe('what an engine says', () => {
  it('is read the same, wherever the network cuts it', async () => {
    const texts = fc.array(fc.string({ unit: 'grapheme' }), { maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(
        texts,
        fc.array(fc.nat(200), { maxLength: 6 }),
        fc.boolean(),
        async (said, cuts, ended) => {
          const messages = said.map((stream) => ({ stream }));
          const lines = messages.map((message) => JSON.stringify(message)).join('\r\n');
          const bytes = Buffer.from(ended ? `${lines}\n` : lines);
          const places = [
            0,
            ...cuts.map((cut) => Math.min(cut, bytes.length)).sort((a, b) => a - b),
            bytes.length,
          ];
          const chunks = places.slice(1).map((end, index) => bytes.subarray(places[index], end));
          expect(await read(chunks)).toEqual(messages);
        },
      ),
    );
  });

  it('is passed on as output where it is no message', async () => {
    expect(await read([Buffer.from('panic: out of luck\n{"error":"no"}\n[1]\n')])).toEqual([
      { stream: 'panic: out of luck\n' },
      { error: 'no' },
      { stream: '[1]\n' },
    ]);
  });
});
