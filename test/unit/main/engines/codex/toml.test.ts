import fc from 'fast-check';
import { expect, it } from 'vitest';
import { toml } from '../../../../../src/main/engines/codex/toml.ts';

it('writes values on one line', () => {
  expect(toml({ url: 'http://127.0.0.1:1/mcp', required: true, tools: ['run', 'diff'], wait: 30 })).toBe(
    '{"url" = "http://127.0.0.1:1/mcp", "required" = true, "tools" = ["run", "diff"], "wait" = 30}',
  );
});

it('keeps every text whole, within what TOML allows', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const written = toml(text);
      // eslint-disable-next-line no-control-regex -- TOML's basic strings allow none of these
      expect(written).not.toMatch(/[\u0000-\u001f\u007f]|\\ud[89a-f]/i);
      // Its escapes are JSON's.
      expect(JSON.parse(written)).toBe(text.toWellFormed());
    }),
  );
});
