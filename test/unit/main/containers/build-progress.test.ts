import { describe, expect, it } from 'vitest';
import { notBegun, progressAfter } from '../../../../src/main/containers/image/build-progress.ts';
import type { BuildProgress } from '../../../../src/main/containers/image/build-progress.ts';

function after(...streams: string[]): BuildProgress {
  return streams.reduce((progress, stream) => progressAfter(progress, { stream }), notBegun);
}

describe('the progress of a build', () => {
  it("counts the steps that Docker's builder announces", () => {
    expect(after('Step 3/24 : RUN set -eu', '\n')).toMatchObject({ step: 3, steps: 24 });
  });

  it("counts the steps that Podman's builder announces", () => {
    expect(after('[2/4] STEP 3/7: RUN set -eu\n')).toMatchObject({ step: 3, steps: 7 });
  });

  it('says what a step says of itself, until another does', () => {
    const fetching = after('Step 1/2 : RUN x\n', '==> Fetching things\n');
    expect(fetching).toMatchObject({ doing: 'Fetching things', output: [] });
    expect(progressAfter(fetching, { stream: 'Step 2/2 : COPY a b\n' })).toMatchObject({
      doing: 'Fetching things',
    });
    expect(progressAfter(fetching, { stream: 'Step 2/2 : FROM scratch\n' })).toMatchObject({
      doing: 'Putting the image together',
    });
  });

  it("keeps the last lines of the step's output, without the engine's own words", () => {
    const lines = Array.from({ length: 50 }, (_, index) => `line ${index}\r\n`);
    const progress = after('Step 1/2 : RUN x\n', ' ---> Running in 0123\n', ...lines);
    expect(progress.output).toHaveLength(20);
    expect(progress.output.at(-1)).toBe('line 49');
    expect(progressAfter(progress, { stream: 'Removing intermediate container 0123\n' })).toEqual(progress);
    expect(progressAfter(progress, { stream: 'Step 2/2 : RUN y\n' }).output).toEqual([]);
  });

  it('puts together a line that comes in pieces', () => {
    const progress = after('Step 1/2 : RUN x', '\n', 'E', ': ', 'no such', ' package\nbye');
    expect(progress).toMatchObject({ output: ['E: no such package'], unfinished: 'bye' });
  });

  it('does without the colours that the builder gives to errors', () => {
    const progress = after('\u001b[91mE: no', '\n\u001b[0m', 'Removing intermediate container 0123\n');
    expect(progress.output).toEqual(['E: no']);
  });

  it('does not move by a message without output', () => {
    expect(progressAfter(notBegun, { status: 'Pulling' })).toEqual(notBegun);
  });
});
