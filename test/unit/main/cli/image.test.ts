import pico from 'picocolors';
import { describe, expect, it } from 'vitest';
import { buildLine, imageLines } from '../../../../src/main/cli/rendering/image.ts';

describe('the bar of an image build', () => {
  const progress = { step: 13, steps: 24, doing: 'Fetching the coding agents', output: [], unfinished: '' };

  it('shows the steps that are done, which one runs, and what it does', () => {
    expect(buildLine(progress, 32_000, 80)).toBe(
      '████████████░░░░░░░░░░░░ 13/24 · 32 s · Fetching the coding agents',
    );
  });

  it('is empty before the first step', () => {
    expect(buildLine({ ...progress, step: 0, steps: 0, doing: 'Pulling debian' }, 0, 80)).toBe(
      '░░░░░░░░░░░░░░░░░░░░░░░░ · 0 s · Pulling debian',
    );
  });

  it('fits into the terminal', () => {
    expect(buildLine(progress, 32_000, 40)).toBe('████████████░░░░░░░░░░░░ 13/24 · 32 s ·…');
  });
});

it('an image that is built is told with its size and versions', () => {
  const versions = { debian: '12.15', git: '2.39.5', node: '18.20.4', claude: '2.1.332', codex: '0.171.0' };
  const description = { image: 'tribune-reviewer:0123', id: 'sha256:0', bytes: 1_104_000_000, versions };
  expect(imageLines(description, pico.createColors(false))).toEqual([
    '✓ tribune-reviewer:0123 is built: 1.10 GB.',
    '  Debian 12.15, git 2.39.5, Node.js 18.20.4, Claude Code 2.1.332, Codex 0.171.0',
  ]);
});
