import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeFrame, FrameReader, frameTypes } from '../../../../src/main/terminals/turn-runner/frames.ts';

const frame = fc.record({ type: fc.constantFrom(...frameTypes), body: fc.uint8Array({ maxLength: 300 }) });

describe('frames', () => {
  it('come out as they went in, however the stream was cut on its way', () => {
    fc.assert(
      fc.property(fc.array(frame), fc.array(fc.nat(400)), (frames, cuts) => {
        const bytes = Buffer.concat(frames.map(({ type, body }) => encodeFrame(type, body)));
        const reader = new FrameReader();
        const read: { type: string; body: string }[] = [];
        let at = 0;
        for (const cut of [...cuts, bytes.length]) {
          const chunk = bytes.subarray(at, at + cut);
          at += chunk.length;
          const whole = reader.push(chunk) ?? [];
          read.push(...whole.map(({ type, body }) => ({ type, body: body.toString('hex') })));
        }
        const written = frames.map(({ type, body }) => ({ type, body: Buffer.from(body).toString('hex') }));
        expect(read).toEqual(written);
      }),
    );
  });

  it('are refused where they are of no type, or longer than they may be', () => {
    expect(new FrameReader().push(Buffer.from([255, 0, 0, 0, 0]))).toBeNull();
    const long = encodeFrame('output', Buffer.alloc(101));
    expect(new FrameReader(100).push(long.subarray(0, 5))).toBeNull();
    expect(new FrameReader(200).push(long)).toHaveLength(1);
  });
});
