import { stripVTControlCharacters } from 'node:util';
import type { EngineMessage } from './engine-messages.ts';

/** How far a build is. */
export interface BuildProgress {
  /** The step that runs, from 1, of so many; 0 of 0 before the first. */
  readonly step: number;
  readonly steps: number;
  /** What it does, in words. */
  readonly doing: string;
  /** The last lines of the step's output, oldest first. */
  readonly output: readonly string[];
  /** The start of a line whose end has not come yet: programs write, and engines pass on, in pieces. */
  readonly unfinished: string;
}

/** Lines of output that are kept to be shown where the step fails. */
const KEPT_LINES = 20;

/** Before the first step. */
export const notBegun: BuildProgress = { step: 0, steps: 0, doing: 'Building', output: [], unfinished: '' };

/** The progress after what the engine said. */
export function progressAfter(progress: BuildProgress, { stream = '' }: EngineMessage): BuildProgress {
  const lines = `${progress.unfinished}${stream}`.split(/[\r\n]/);
  const unfinished = lines.pop() ?? '';
  return { ...lines.reduce(afterLine, progress), unfinished };
}

function afterLine(progress: BuildProgress, line: string): BuildProgress {
  // Docker's builder colours what programs say on their error output.
  const text = stripVTControlCharacters(line).trim();
  if (text === '') return progress;
  const announced = /^(?:\[\d+\/\d+\] )?step (\d+)\/(\d+) ?: *(.*)/i.exec(text);
  if (announced !== null) {
    const [, step, steps, instruction] = announced;
    const doing = instruction === 'FROM scratch' ? 'Putting the image together' : progress.doing;
    return { ...progress, step: Number(step), steps: Number(steps), doing, output: [] };
  }
  // The Dockerfile's steps announce themselves in this way.
  if (text.startsWith('==> ')) return { ...progress, doing: text.slice('==> '.length) };
  // The engine's own words about layers and containers.
  if (/^-+> |^(Removing intermediate container|Successfully (built|tagged)) /.test(text)) return progress;
  return { ...progress, output: [...progress.output, text].slice(-KEPT_LINES) };
}
