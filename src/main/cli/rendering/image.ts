import type { Colors } from 'picocolors/types.js';
import type { BuildProgress, ImageDescription } from '../../app/reviewer-image.ts';
import { durationWords, oneLine } from './values.ts';

/** What `tribune image` shows. */

const BAR_CHARACTERS = 24;
const GIGABYTE = 1e9;

/** One line with a bar of the steps that are done. */
export function buildLine({ step, steps, doing }: BuildProgress, elapsedMs: number, columns: number): string {
  const done = steps === 0 ? 0 : Math.round((BAR_CHARACTERS * (step - 1)) / steps);
  const bar = '█'.repeat(done) + '░'.repeat(BAR_CHARACTERS - done);
  const count = steps === 0 ? '' : ` ${step}/${steps}`;
  return oneLine(`${bar}${count} · ${durationWords(elapsedMs)} · ${doing}`, columns);
}

/** What a build has come to. */
export function imageLines({ image, bytes, versions }: ImageDescription, colours: Colors): string[] {
  const { debian, git, node, claude, codex } = versions;
  return [
    `${colours.green('✓')} ${image} is built: ${(bytes / GIGABYTE).toFixed(2)} GB.`,
    `  Debian ${debian}, git ${git}, Node.js ${node}, Claude Code ${claude}, Codex ${codex}`,
  ];
}
