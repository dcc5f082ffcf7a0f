import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bounded, clipped, counted, firstLine } from '../../../../src/shared/kernel/text.ts';

describe('clipped', () => {
  it('is the text, or as much of it as fits with a sign that something is missing', () => {
    expect(clipped('four', 4)).toBe('four');
    expect(clipped('fives', 4)).toBe('fiv…');
    fc.assert(
      fc.property(fc.string(), fc.integer({ min: 1, max: 20 }), (text, most) => {
        const cut = clipped(text, most);
        expect(cut.length).toBe(Math.min(text.length, most));
        expect(text.startsWith(cut.replace(/…$/, '')) || cut === text).toBe(true);
      }),
    );
  });
});

describe('firstLine', () => {
  it.each([
    ['one', 'one'],
    ['\n  \n  one  \ntwo', 'one'],
    ['one\r\ntwo', 'one'],
    ['', ''],
    ['much too long', 'much to…'],
  ])('of %j is %j', (text, line) => {
    expect(firstLine(text, 8)).toBe(line);
  });
});

describe('bounded', () => {
  it('keeps the beginning and the end, and says how much is missing', () => {
    expect(bounded('four', 4)).toBe('four');
    expect(bounded('0123456789', 5)).toBe('01\n[… 5 characters left out …]\n789');
  });
});

describe('counted', () => {
  it.each([
    [0, '0 files'],
    [1, '1 file'],
    [2, '2 files'],
  ])('says %d as %j', (number, words) => {
    expect(counted(number, 'file')).toBe(words);
  });
});
