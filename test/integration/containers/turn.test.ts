import { expect, it } from 'vitest';
import type { CliLaunch, RunningCli } from '../../../src/main/ports/coding-cli.ts';
import { describeWithReviewerImage } from '../../support/reviewer-image.ts';
import { addressIn, never, openPlace, processesIn, runAsAgent, sealedRoom, valueOf } from './sealed-room.ts';
import type { SealedPlace } from '../../../src/main/ports/seals.ts';

/** Starts a shell script as the agent's program and waits until it has printed something. */
async function startTalking(
  place: SealedPlace,
  script: string,
  change: Partial<CliLaunch> = {},
  signal = never,
): Promise<RunningCli> {
  const talked = Promise.withResolvers<undefined>();
  const running = valueOf(
    await place.cli.start(
      {
        program: 'sh',
        args: ['-c', script],
        environment: {},
        onOutput: () => {
          talked.resolve(undefined);
        },
        onProblem: () => undefined,
        onScreen: () => undefined,
        ...change,
      },
      signal,
    ),
  );
  await talked.promise;
  return running;
}

describeWithReviewerImage('a turn in a container', (sealing) => {
  it('runs a program as the agent, in the snapshot, with what it was given', async () => {
    const room = await sealedRoom(sealing);
    const place = await openPlace(room);
    expect(place.cli).toMatchObject({ sealed: true, directory: '/snapshots/s1' });
    const output: string[] = [];
    const errors: string[] = [];
    const screen: string[] = [];
    const running = valueOf(
      await place.cli.start(
        {
          program: 'sh',
          args: ['-c', 'pwd; echo "$GREETING"; echo "$HOME"; id -u >&2; cat; exit 7'],
          environment: { GREETING: 'hello  world' },
          onOutput: (chunk) => void output.push(Buffer.from(chunk).toString()),
          onProblem: (chunk) => void errors.push(Buffer.from(chunk).toString()),
          onScreen: (data) => void screen.push(data),
        },
        never,
      ),
    );
    running.write('what was ');
    running.write('asked: 質問');
    running.show('for the person');
    running.endInput();
    expect(await running.ended).toEqual({ exitCode: 7, by: 'itself', problem: null });
    expect(output.join('')).toBe(
      `/snapshots/s1\nhello  world\n${place.cli.home ?? ''}\nwhat was asked: 質問`,
    );
    expect(errors.join('')).toMatch(/^(?!0)\d+\n$/);
    expect(screen).toEqual(['for the person']);
    await place.close();
  });

  it('keeps standard output and error output apart, and whole, however much it is', async () => {
    const room = await sealedRoom(sealing);
    const place = await openPlace(room);
    const script = 'seq 1 100000; seq 1 50000 >&2';
    const { output, errors } = await runAsAgent(place.cli, 'sh', '-c', script);
    const numbers = (count: number): string =>
      Array.from({ length: count }, (_, at) => `${at + 1}\n`).join('');
    expect(output === numbers(100_000)).toBe(true);
    expect(errors === numbers(50_000)).toBe(true);
    await place.close();
  });

  it('reaches the gate, and nothing else', async () => {
    const room = await sealedRoom(sealing);
    const place = await openPlace(room);
    const script = `fetch('${addressIn(place.cli)}/anthropic/v1/messages', { method: 'POST', body: 'x'.repeat(1e6) })
      .then((answer) => answer.text()).then(console.log)`;
    const { output } = await runAsAgent(place.cli, 'node', '-e', script);
    expect(output).toBe('answer to /anthropic/v1/messages\n');
    expect(room.asked).toEqual(['/anthropic/v1/messages']);
    await place.close();
  });

  it('lays files down that the agent alone can read, until the turn ends', async () => {
    const room = await sealedRoom(sealing);
    const place = await openPlace(room);
    const content = `{"token":"${'t'.repeat(100_000)}"}\n`;
    const path = valueOf(await place.cli.layDown('configuration/mcp.json', content));
    expect((await runAsAgent(place.cli, 'cat', path)).output).toBe(content);
    const { output } = await runAsAgent(place.cli, 'stat', '-c', '%a %u', path);
    const user = (await runAsAgent(place.cli, 'id', '-u')).output;
    expect(output).toBe(`600 ${user}`);
    const outside = valueOf(await place.cli.layDown('../../../../tmp/outside', 'x'));
    expect(outside.startsWith(place.cli.home ?? '?')).toBe(true);
    await place.close();
    const next = await openPlace(room);
    expect((await runAsAgent(next.cli, 'cat', path)).exitCode).toBe(1);
    await next.close();
  });

  it('keeps the home of a session from turn to turn, and apart from those of others', async () => {
    const room = await sealedRoom(sealing);
    const first = await openPlace(room);
    await runAsAgent(first.cli, 'sh', '-c', 'echo remembered >"$HOME/memory"');
    await first.close();
    const other = await openPlace(room, { session: 'task/arbiter' });
    expect((await runAsAgent(other.cli, 'sh', '-c', 'ls "$HOME"')).output).toBe('');
    await other.close();
    const second = await openPlace(room);
    expect((await runAsAgent(second.cli, 'sh', '-c', 'cat "$HOME/memory"')).output).toBe('remembered\n');
    await second.close();
  });

  it('has ended when the program has, with all that it left running', async () => {
    const room = await sealedRoom(sealing);
    const place = await openPlace(room);
    const startedAt = performance.now();
    const end = await runAsAgent(place.cli, 'sh', '-c', 'sleep 300 & setsid sleep 300 & echo done; exit 0');
    expect(end).toMatchObject({ exitCode: 0, by: 'itself', output: 'done\n' });
    expect(performance.now() - startedAt).toBeLessThan(2_000);
    expect(await processesIn(await room.container())).toEqual([]);
    await place.close();
  });

  it('tells a signal, a missing program and an end without a word apart', async () => {
    const room = await sealedRoom(sealing);
    const place = await openPlace(room);
    expect(await runAsAgent(place.cli, 'sh', '-c', 'kill -SEGV $$')).toMatchObject({
      exitCode: null,
      by: 'itself',
      problem: 'It was ended by signal 11.',
    });
    expect(await runAsAgent(place.cli, 'sh', '-c', 'kill -9 $PPID')).toMatchObject({
      exitCode: null,
      by: 'itself',
    });
    const launch = {
      program: 'no-such-program',
      args: [],
      environment: {},
      onOutput: () => undefined,
      onProblem: () => undefined,
      onScreen: () => undefined,
    };
    expect(await place.cli.start(launch, never)).toMatchObject({
      ok: false,
      failure: { tag: 'program_missing' },
    });
    expect(await place.cli.start(launch, AbortSignal.abort())).toMatchObject({
      ok: false,
      failure: { tag: 'stopped' },
    });
    await place.close();
  });

  it('is lost where the program speaks in place of what the host has running beside it', async () => {
    const room = await sealedRoom(sealing);
    const place = await openPlace(room);
    const before = (await room.container()).id;
    const script = 'for out in /proc/[0-9]*/fd/1; do echo "no answer" >"$out"; done; sleep 300';
    expect(await runAsAgent(place.cli, 'sh', '-c', script)).toMatchObject({ by: 'lost' });
    await place.close();
    const next = await openPlace(room);
    expect((await room.container()).id).not.toBe(before);
    await next.close();
  });

  it.each(['its own stop', 'the signal', 'the end of the turn'])(
    'ends every process inside within 2 s of %s',
    async (how) => {
      const room = await sealedRoom(sealing);
      const place = await openPlace(room);
      const abort = new AbortController();
      const script = `trap '' TERM INT HUP; for i in 1 2 3 4 5; do setsid sleep 300 & done; echo up; while :; do sleep 1; done`;
      const running = await startTalking(place, script, {}, abort.signal);
      const command = place.cli.commands?.run(
        {
          command: 'setsid sleep 300 & echo up; sleep 300',
          timeoutMs: 100_000,
          maxBytes: 1_000,
          onData: (data) => {
            if (data.includes('up')) ready.resolve(undefined);
          },
        },
        abort.signal,
      );
      const ready = Promise.withResolvers<undefined>();
      await ready.promise;
      expect((await processesIn(await room.container())).length).toBeGreaterThan(8);
      const startedAt = performance.now();
      if (how === 'its own stop') running.stop();
      if (how === 'the signal') abort.abort();
      if (how === 'the end of the turn') await place.close();
      expect(await running.ended).toMatchObject({ exitCode: null });
      if (how !== 'the signal') await place.close();
      await command;
      expect(performance.now() - startedAt).toBeLessThan(2_000);
      const [container] = await room.containers();
      expect(container === undefined ? [] : await processesIn(await room.container())).toEqual([]);
      await place.close();
    },
  );
});
