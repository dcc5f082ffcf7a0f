import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { KeptOutput } from '../../../../src/shared/kernel/kept-output.ts';

describe('KeptOutput', () => {
  it('keeps everything that fits, as it was', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme' })), (pieces) => {
        const whole = pieces.join('');
        const kept = new KeptOutput(Math.max(3, 2 * Buffer.byteLength(whole)));
        for (const piece of pieces) kept.add(piece);
        expect(kept.text()).toBe(whole);
        expect(kept.truncated).toBe(false);
      }),
    );
  });

  it('keeps the beginning and the end of what does not, and says how much is missing', () => {
    const kept = new KeptOutput(30);
    kept.add('begin-begin-');
    for (let line = 0; line < 1_000; line += 1) kept.add(`line ${line}\n`);
    const text = kept.text();
    expect(kept.truncated).toBe(true);
    expect(text.startsWith('begin-begi\n[… ')).toBe(true);
    expect(text.endsWith('line 999\n')).toBe(true);
    const missing = /\[… (\d+) bytes left out …\]/.exec(text);
    const all =
      'begin-begin-'.length + Array.from({ length: 1_000 }, (_, n) => `line ${n}\n`).join('').length;
    expect(Number(missing?.[1])).toBe(all - 30);
  });

  it('splits no character where it cuts', () => {
    const kept = new KeptOutput(10);
    kept.add('ééééééééééé');
    expect(kept.text()).not.toContain('\uFFFD');
  });
});
