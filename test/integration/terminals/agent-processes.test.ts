import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { seeProcess } from '../../../src/main/terminals/agent-processes.ts';
import { lineageOf } from '../../../src/main/terminals/process-table.ts';
import { RunningTrees } from '../../../src/main/terminals/running-trees.ts';
import { createTerminals } from '../../../src/main/terminals/terminals.ts';
import { systemClock } from '../../../src/shared/kernel/clock.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const nobody = new RunningTrees();

/** Runs a script as an agent's program; it prints "ready" once `$numbers` holds a process number a line. */
async function agent(script: string): Promise<{ readonly running: RunningTrees; readonly pids: number[] }> {
  const running = new RunningTrees();
  const numbers = join(temporaryFolder('agent'), 'numbers');
  const abort = new AbortController();
  const ready = Promise.withResolvers<null>();
  const ended = createTerminals({ clock: systemClock, graceMs: 300, running, label: 'agents' }).pipe(
    {
      program: 'sh',
      args: ['-c', `numbers='${numbers}'; ${script}; echo ready; sleep 1000`],
      directory: '/',
      stdin: '',
      timeoutMs: 20_000,
      maxBytes: 1_000,
      onData: () => {
        ready.resolve(null);
      },
    },
    abort.signal,
  );
  onTestFinished(async () => {
    abort.abort();
    await ended;
  });
  await ready.promise;
  return { running, pids: readFileSync(numbers, 'utf8').trim().split('\n').map(Number) };
}

/** A process of a person's; ends with the test. */
function person(environment: NodeJS.ProcessEnv = {}): number {
  const child = spawn('sleep', ['1000'], { env: { PATH: process.env['PATH'], ...environment } });
  const gone = once(child, 'exit');
  onTestFinished(async () => {
    child.kill();
    await gone;
  });
  return child.pid ?? 0;
}

describe.runIf(process.platform === 'linux')('a process is an agent’s', () => {
  it('where it is the program itself, or came of it in whatever way that leaves a trace', async () => {
    const clean = 'env -i sleep 1000 & echo $! >> $numbers';
    const { running, pids } = await agent(
      [
        'echo $$ > $numbers',
        // With its mark, in a session of its own, without its parent.
        `(setsid sleep 1000 & echo $! >> $numbers)`,
        // Without its mark, below the program.
        clean,
        // Without its mark, in the program's session, without its parent.
        `(${clean})`,
      ].join('; '),
    );
    expect(pids).toHaveLength(4);
    for (const pid of pids) expect(await seeProcess(pid, running, {})).toMatchObject({ ofAgent: true });
  });

  it('where another install marked it, but not where the host itself carries that mark', async () => {
    const pid = person({ TRIBUNE_TERMINAL: 'other/1' });
    expect(await seeProcess(pid, nobody, {})).toMatchObject({ ofAgent: true });
    expect(await seeProcess(pid, nobody, { TRIBUNE_TERMINAL: 'other/1' })).toMatchObject({ ofAgent: false });
  });

  it('and is not seen as one where it has left every trace behind: docs/security.md says so', async () => {
    const daemon = `setsid env -i sh -c 'sleep 1000 & echo $! >> "'$numbers'"'`;
    const { running, pids } = await agent(`${daemon}; true`);
    onTestFinished(() => {
      for (const pid of pids) process.kill(pid);
    });
    expect(await seeProcess(pids[0] ?? 0, running, {})).toMatchObject({ ofAgent: false });
  });

  it('and a person’s is none, with all that it came of named; one that is gone is nobody', async () => {
    const seen = await seeProcess(person(), nobody, {});
    expect(seen).toMatchObject({ ofAgent: false });
    expect(seen?.names[0]).toBe('sleep');
    expect(await seeProcess(2 ** 22 + 1, nobody, {})).toBeNull();
  });

  it('and is named without the signs that it could pretend with', async () => {
    const child = spawn('sleep', ['1000'], { argv0: 'zsh), uid 0\u001b[2J' });
    const gone = once(child, 'exit');
    onTestFinished(async () => {
      child.kill();
      await gone;
    });
    expect((await seeProcess(child.pid ?? 0, nobody, {}))?.names[0]).toBe('zsh???uid?0??2J');
  });

  it('whose lineage leads to the first process of all', async () => {
    const lineage = await lineageOf(process.pid);
    expect(lineage[0]?.pid).toBe(process.pid);
    expect(lineage[1]?.pid).toBe(process.ppid);
    expect(lineage.at(-1)?.parent).toBe(0);
  });
});
