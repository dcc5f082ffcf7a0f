import { describe, expect, it } from 'vitest';
import { plainText } from '../../../../src/main/terminals/plain-text.ts';

describe('plainText', () => {
  it.each([
    ['colours', '\u001b[1;31mred\u001b[0m text', 'red text'],
    ['a title', '\u001b]0;title\u0007text', 'text'],
    ['line ends of a terminal', 'a\r\nb\r\r\nc', 'a\nb\nc'],
    ['a progress bar', '10%\r50%\r100%\r\ndone', '100%\ndone'],
    ['other control characters', 'a\u0008\u0000b\tc', 'ab\tc'],
  ])('reads %s', (_what, output, expected) => {
    expect(plainText(output)).toBe(expected);
  });
});
