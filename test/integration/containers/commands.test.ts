import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { describeWithReviewerImage } from '../../support/reviewer-image.ts';
import { openPlace, processesIn, runCommand, sealedRoom } from './sealed-room.ts';

describeWithReviewerImage('commands in a container', (sealing) => {
  it('run in a copy that they may change, beside the dependencies, as another user than the agent', async () => {
    const room = await sealedRoom(sealing);
    const script = join(room.request.snapshots, 's1', 'check.sh');
    writeFileSync(script, '#!/bin/sh\necho "checked $1"\n', { mode: 0o555 });
    const place = await openPlace(room);
    const run = (command: string) => runCommand(place.cli, command);
    expect(await run('pwd; ./check.sh it; exit 3')).toEqual({
      exitCode: 3,
      output: '/workbench/copy\nchecked it\n',
      truncated: false,
      timedOut: false,
    });
    expect((await run('echo "export const total = 2;" >src/total.js && cat src/total.js')).output).toContain(
      '2',
    );
    expect((await run('node -e "console.log(require(\'library\'))"')).output).toBe('42\n');
    expect((await run('touch node_modules/new')).output).toContain('Read-only file system');
    expect((await run('cp /bin/true ./own && ./own && echo ran; mktemp')).output).toMatch(
      /^ran\n\/workbench\/tmp\//,
    );
    expect((await run('id -u')).output).not.toBe(`${process.getuid?.() ?? ''}\n`);
    expect((await run('cat "$HOME"/*; ls /home/agent')).output).toContain('Permission denied');
    await place.close();
  });

  it('start from the snapshot again in each turn', async () => {
    const room = await sealedRoom(sealing);
    const first = await openPlace(room);
    await runCommand(first.cli, 'rm -rf src; echo left >/tmp/left; echo left >/dev/shm/left; chmod 000 .');
    await first.close();
    const second = await openPlace(room);
    expect((await runCommand(second.cli, 'ls . /tmp /dev/shm')).output).toBe(
      '.:\nnode_modules\nsrc\n\n/dev/shm:\n\n/tmp:\n',
    );
    await second.close();
    expect(room.notices).toEqual([]);
  });

  it('keep the beginning and the end of a long output', async () => {
    const room = await sealedRoom(sealing);
    const place = await openPlace(room);
    const { output, truncated } = await runCommand(place.cli, 'seq 1 200000', { maxBytes: 600 });
    expect(truncated).toBe(true);
    expect(output.startsWith('1\n2\n3\n')).toBe(true);
    expect(output.endsWith('199999\n200000\n')).toBe(true);
    expect(output.length).toBeLessThan(700);
    await place.close();
  });

  it('end with all that they started, and in time', async () => {
    const room = await sealedRoom(sealing);
    const place = await openPlace(room);
    await runCommand(
      place.cli,
      'sleep 300 & setsid sleep 300 & nohup sleep 300 >/dev/null 2>&1 & echo started',
    );
    await expect.poll(async () => processesIn(await room.container()), { timeout: 2_000 }).toEqual([]);
    const startedAt = performance.now();
    const late = await runCommand(place.cli, 'echo begun; setsid sleep 300 & sleep 300', { timeoutMs: 300 });
    expect(late).toMatchObject({ exitCode: null, output: 'begun\n', timedOut: true });
    expect(performance.now() - startedAt).toBeLessThan(2_300);
    await expect.poll(async () => processesIn(await room.container()), { timeout: 2_000 }).toEqual([]);
    await place.close();
  });

  it('run one after the other, and tell one that killed even what watches it', async () => {
    const room = await sealedRoom(sealing);
    const place = await openPlace(room);
    const [first, second] = await Promise.all([
      runCommand(place.cli, 'sleep 0.3; echo first >>order; cat order'),
      runCommand(place.cli, 'echo second >>order; cat order'),
    ]);
    expect(first.output).toBe('first\n');
    expect(second.output).toBe('first\nsecond\n');
    expect(await runCommand(place.cli, 'kill -9 -1')).toMatchObject({ exitCode: null, timedOut: false });
    expect((await runCommand(place.cli, 'echo still there')).output).toBe('still there\n');
    await place.close();
  });

  it('cannot outlive their turn by ending whoever ends them', async () => {
    const room = await sealedRoom(sealing);
    const place = await openPlace(room);
    const [before] = await room.containers();
    // Perl's kill takes -1 to the system call, which spares the caller.
    const running = runCommand(place.cli, `perl -e '$SIG{TERM}="IGNORE"; while (1) { kill 9, -1 }'`, {
      timeoutMs: 500,
    });
    await running.catch(() => undefined);
    await place.close();
    const next = await openPlace(room);
    const [after] = await room.containers();
    expect(after?.Id).not.toBe(before?.Id);
    await expect.poll(async () => processesIn(await room.container()), { timeout: 2_000 }).toEqual([]);
    await next.close();
  });

  it('that fork without end are ended with the container, if not otherwise, within 2 s', async () => {
    const room = await sealedRoom(sealing);
    const place = await openPlace(room);
    const bomb = place.cli.commands?.run(
      {
        command: `perl -e 'while (1) { fork }'`,
        timeoutMs: 1_000,
        maxBytes: 1_000,
        onData: () => undefined,
      },
      new AbortController().signal,
    );
    await bomb;
    const startedAt = performance.now();
    await place.close();
    expect(performance.now() - startedAt).toBeLessThan(2_000);
    const next = await openPlace(room);
    expect((await runCommand(next.cli, 'echo fine')).output).toBe('fine\n');
    await next.close();
  });
});
