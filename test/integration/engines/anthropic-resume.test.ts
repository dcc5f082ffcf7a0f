import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { blocksOf, textOf } from '../../fakes/messages-server/protocol.ts';
import { calls, inTurn, says, type Script } from '../../fakes/messages-server/script.ts';
import { verdict, workbench, yielded, type Workbench } from './support.ts';

class HostDied extends Error {}

/** Lets the host die at the n-th step of a turn; gives the step, or null where the turn has fewer. */
async function dieAt(bench: Workbench, nth: number): Promise<string | null> {
  let seen = 0;
  let where: string | null = null;
  bench.desk.onStep = (step) => {
    if (where !== null) throw new HostDied();
    seen += 1;
    if (seen === nth) {
      where = step;
      throw new HostDied();
    }
  };
  await bench.run().catch((thrown: unknown) => {
    if (!(thrown instanceof HostDied)) throw thrown;
  });
  return where;
}

/** An owner that appends a line, looks at the file, and submits: by what it has been told, not by a count. */
const appendOnce: Script = (request) => {
  const told = request.messages.map(textOf).join('\n');
  if (told.includes('not known whether')) {
    // Plainly told that it is unknown, it looks before it repeats.
    const looked = request.messages
      .flatMap(blocksOf)
      .some((block) => block.type === 'tool_use' && block.name === 'read_file');
    if (!looked) return calls('read_file', { path: 'log.txt' });
  } else if (!told.includes('exit code 0')) {
    return calls('run_command', { command: 'echo line >> log.txt' });
  }
  return calls('submit_verdict', verdict({ summary: 'Appended.' }));
};

describe('a turn that the host died in', () => {
  it('goes on from every step as if nothing had happened: nothing is lost, nothing done twice', async () => {
    const reached: string[] = [];
    for (let nth = 1; ; nth += 1) {
      const bench = await workbench(appendOnce);
      const where = await dieAt(bench, nth);
      if (where === null) break;
      reached.push(where);

      const next = bench.nextLife();
      const turn = yielded(await next.run({ resumed: true }));

      expect(turn.reading, `died ${where}`).toEqual({ kind: 'verdict', verdict: 'DONE', via: 'tool' });
      expect(turn.text).toContain('Appended.');
      const log = await readFile(join(bench.directory, 'log.txt'), 'utf8').catch(() => '');
      // Where it died before the command ran, its fate is unknown, and this owner does not repeat it.
      expect(log, `died ${where}`).toBe(where === 'in effect' ? '' : 'line\n');
      expect(JSON.stringify(next.desk.memory.entries).split('Do the work.')).toHaveLength(2);
    }
    expect([...new Set(reached)].sort()).toEqual([
      'after append',
      'after effect',
      'after work',
      'before append',
      'before effect',
      'in effect',
    ]);
  });

  it('reads again, but does not run again, what its last reply asked for', async () => {
    const bench = await workbench(
      inTurn(
        {
          kind: 'message',
          content: [
            {
              type: 'tool_use',
              name: 'run_command',
              input: { command: 'echo ran >> log.txt; echo "result 1"' },
            },
            { type: 'tool_use', name: 'read_file', input: { path: 'log.txt' } },
          ],
        },
        calls('submit_verdict', verdict()),
      ),
    );
    // Both tools have run; the host dies before their results are kept.
    let appends = 0;
    bench.desk.onStep = (step) => {
      if (step === 'before append') appends += 1;
      if (appends === 2) throw new HostDied();
    };
    await expect(bench.run()).rejects.toThrow(HostDied);
    yielded(await bench.nextLife().run({ resumed: true }));
    const told = bench.server.requests[1]?.messages.at(-1);
    expect(told === undefined ? '' : textOf(told)).toContain('exit code 0\nresult 1\n1\tran');
    expect(await readFile(join(bench.directory, 'log.txt'), 'utf8')).toBe('ran\n');
  });

  it('says plainly that it is not known whether a change was made', async () => {
    const bench = await workbench(
      inTurn(calls('write_file', { path: 'a.txt', text: 'a' }), calls('submit_verdict', verdict())),
    );
    bench.desk.onStep = (step) => {
      if (step === 'after work') throw new HostDied();
    };
    await expect(bench.run()).rejects.toThrow(HostDied);
    yielded(await bench.nextLife().run({ resumed: true }));
    const told = bench.server.requests[1]?.messages.at(-1);
    expect(told === undefined ? '' : textOf(told)).toMatch(
      /write a\.txt.*not known whether.*Look at what is there/s,
    );
  });

  it('is over without another call where its verdict was in', async () => {
    const bench = await workbench(inTurn(calls('submit_verdict', verdict({ summary: 'All there.' }))));
    yielded(await bench.run());
    const again = yielded(await bench.nextLife().run({ resumed: true }));
    expect(again).toMatchObject({ text: 'All there.', reading: { verdict: 'DONE' } });
    expect(bench.server.requests).toHaveLength(1);
  });

  it('is over without another call where its last words were in', async () => {
    const bench = await workbench(inTurn(says('BLOCKED: no network.')));
    yielded(await bench.run());
    expect(yielded(await bench.nextLife().run({ resumed: true })).reading).toMatchObject({
      verdict: 'BLOCKED',
    });
    expect(bench.server.requests).toHaveLength(1);
  });

  it('is tried again where it had come to nothing', async () => {
    const bench = await workbench(inTurn({ kind: 'message', content: [] }, says('DONE')));
    yielded(await bench.run());
    expect(yielded(await bench.nextLife().run({ resumed: true })).reading).toMatchObject({ verdict: 'DONE' });
  });

  it('begins with its prompt where the host died before it was said', async () => {
    const bench = await workbench(inTurn(says('DONE')));
    expect(yielded(await bench.run({ resumed: true })).reading).toMatchObject({ verdict: 'DONE' });
    expect(textOf(bench.server.requests[0]?.messages[0] ?? { role: 'user', content: '' })).toBe(
      bench.request.prompt,
    );
  });
});

describe('a session with a past', () => {
  it('answers calls that an ended turn has left open, without carrying them out', async () => {
    const bench = await workbench(inTurn(calls('run_command', { command: 'touch late' }), says('DONE')));
    const controller = new AbortController();
    bench.desk.onStep = (step) => {
      if (step === 'after append') controller.abort();
    };
    expect(await bench.run({}, controller.signal)).toMatchObject({ failure: { tag: 'stopped' } });
    bench.desk.onStep = () => undefined;
    yielded(await bench.run({ turnId: 'turn_2', prompt: 'Something else.' }));
    const told = bench.server.requests[1]?.messages.at(-1);
    expect(told === undefined ? '' : textOf(told)).toMatch(/^The turn was ended here.*Something else\./s);
    await expect(readFile(join(bench.directory, 'late'))).rejects.toThrow('ENOENT');
  });

  it('that cannot be read begins anew after what is unreadable, and says so', async () => {
    const bench = await workbench(inTurn(says('DONE'), says('DONE')));
    bench.desk.memory.entries.push({ kind: 'from the future' }, { kind: 'note', text: 'orphan' });
    yielded(await bench.run());
    expect(bench.server.requests[0]?.messages).toHaveLength(1);
    expect(bench.desk.events).toContainEqual(expect.objectContaining({ type: 'notice' }));
    // What came after it is readable, and kept.
    yielded(await bench.run({ turnId: 'turn_2', prompt: 'Next.' }));
    expect(bench.server.requests[1]?.messages).toHaveLength(3);
  });
});
