import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { describeWithReviewerImage } from '../../support/reviewer-image.ts';
import { openPlace, sealedRoom } from './sealed-room.ts';

describeWithReviewerImage('a snapshot that is too large', (sealing) => {
  it('is said to be so when a command is to be run in a copy of it', { timeout: 60_000 }, async () => {
    const room = await sealedRoom(sealing);
    const large = join(room.request.snapshots, 'large');
    mkdirSync(large);
    const place = await openPlace(room, { snapshot: 'large' });
    // Not sparse: the copy would be so too.
    for (let part = 1; part <= 3; part += 1)
      writeFileSync(join(large, `part-${part}`), Buffer.alloc(400 << 20, 1));
    const ran = await place.cli.commands?.run(
      { command: 'true', timeoutMs: 50_000, maxBytes: 1_000, onData: () => undefined },
      new AbortController().signal,
    );
    expect(ran).toMatchObject({ ok: false, failure: { tag: 'no_space' } });
    await place.close();
  });
});
