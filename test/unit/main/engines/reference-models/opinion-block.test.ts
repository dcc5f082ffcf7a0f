import fc from 'fast-check';
import { expect, it } from 'vitest';
import { opinionBlock } from '../../../../../src/main/engines/reference-models/opinion-block.ts';

it('is empty where there are no opinions', () => {
  expect(opinionBlock([])).toBe('');
});

it('quotes every line of every opinion, whatever it says', () => {
  const opinion = fc.record({ name: fc.string(), text: fc.string({ unit: 'binary' }) });
  fc.assert(
    fc.property(fc.array(opinion, { minLength: 1, maxLength: 4 }), (said) => {
      const opinions = said.map((one, index) => ({ number: index + 1, ...one }));
      const [, , ...lines] = opinionBlock(opinions).split('\n');
      const bare = lines.filter((line) => line !== '' && !line.startsWith('>'));
      // What is not quoted is ours: one sentence, and a heading for each opinion.
      expect(bare).toHaveLength(1 + opinions.length);
      expect(bare.slice(1).every((line) => /^## Opinion \d+, of /.test(line))).toBe(true);
    }),
  );
});
