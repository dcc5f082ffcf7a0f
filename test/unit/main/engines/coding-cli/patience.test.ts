import { describe, expect, it, vi } from 'vitest';
import { limits } from '../../../../../src/main/engines/coding-cli/limits.ts';
import { Patience } from '../../../../../src/main/engines/coding-cli/patience.ts';
import { ManualClock } from '../../../../support/manual-clock.ts';

function begin() {
  const clock = new ManualClock();
  const onSilence = vi.fn();
  const patience = new Patience(clock, onSilence);
  patience.renew();
  return { clock, onSilence, patience };
}

describe('patience with a program', () => {
  it('is over when it printed nothing for long enough since it was last heard of', () => {
    const { clock, onSilence, patience } = begin();
    clock.advance(limits.silenceMs - 1);
    patience.renew();
    clock.advance(limits.silenceMs - 1);
    expect(onSilence).not.toHaveBeenCalled();
    clock.advance(1);
    expect(onSilence).toHaveBeenCalledOnce();
  });

  it('takes no silence for one while a tool of ours works, and counts from the end of the last', () => {
    const { clock, onSilence, patience } = begin();
    const ends = [patience.toolWorks(), patience.toolWorks()];
    clock.advance(2 * limits.silenceMs);
    ends[0]?.();
    clock.advance(2 * limits.silenceMs);
    expect(onSilence).not.toHaveBeenCalled();
    ends[1]?.();
    clock.advance(limits.silenceMs);
    expect(onSilence).toHaveBeenCalledOnce();
  });

  it('only waits for the end once all is said, whatever it still prints', () => {
    const { clock, onSilence, patience } = begin();
    const onLinger = vi.fn();
    patience.sayFarewell(onLinger);
    patience.renew();
    clock.advance(limits.farewellMs);
    expect(onLinger).toHaveBeenCalledOnce();
    clock.advance(limits.silenceMs);
    expect(onSilence).not.toHaveBeenCalled();
  });

  it('waits for nothing more once it has ended, though a tool of ours ends later', () => {
    const { clock, onSilence, patience } = begin();
    const workEnds = patience.toolWorks();
    patience.end();
    workEnds();
    clock.advance(2 * limits.silenceMs);
    expect(onSilence).not.toHaveBeenCalled();
  });
});
