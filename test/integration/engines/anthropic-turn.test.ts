import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { TaskChanges } from '../../../src/main/ports/engine.ts';
import { ok } from '../../../src/shared/kernel/result.ts';
import { textOf, type MessagesRequest } from '../../fakes/messages-server/protocol.ts';
import { calls, inTurn, says, type Script } from '../../fakes/messages-server/script.ts';
import { NONCE, newest, snapshotPlace, submits, verdict, workbench, yielded, MODEL } from './support.ts';

describe('a turn', () => {
  it('works through tools to a verdict', async () => {
    const bench = await workbench(
      inTurn(
        calls('read_file', { path: 'greeting.txt' }, { words: 'I look first.' }),
        calls('edit_file', { path: 'greeting.txt', before: 'hello', after: 'good day' }),
        calls('run_command', { command: 'cat greeting.txt' }),
        calls('submit_verdict', verdict({ summary: 'It greets well now.' }), { words: 'Finished.' }),
      ),
    );
    await writeFile(join(bench.directory, 'greeting.txt'), 'hello\n');

    const turn = yielded(await bench.run());

    expect(turn.reading).toEqual({ kind: 'verdict', verdict: 'DONE', via: 'tool' });
    expect(turn.text).toBe('I look first.\n\nFinished.\n\nIt greets well now.');
    expect(await readFile(join(bench.directory, 'greeting.txt'), 'utf8')).toBe('good day\n');
    expect(newest(bench.server.requests[3])).toContain('exit code 0\ngood day');
    expect(bench.server.requests).toHaveLength(4);
  });

  it('reads a verdict from the last text where none was submitted', async () => {
    const bench = await workbench(
      inTurn(calls('list_files', {}, { words: 'BLOCKED: not yet' }), says('DONE\n\nAll good.')),
    );
    expect(yielded(await bench.run()).reading).toEqual({ kind: 'verdict', verdict: 'DONE', via: 'text' });
  });

  it('has no verdict where nothing says one', async () => {
    const bench = await workbench(inTurn(says('I did some things.')));
    const turn = yielded(await bench.run());
    expect(turn.reading.kind).toBe('none');
    expect(turn.text).toBe('I did some things.');
  });

  it('may end in silence', async () => {
    const bench = await workbench(inTurn({ kind: 'message', content: [] }));
    expect(yielded(await bench.run())).toMatchObject({ text: '', reading: { kind: 'none' } });
  });

  it('refuses a verdict with another nonce, and lets the model submit again', async () => {
    const bench = await workbench(inTurn(calls('submit_verdict', verdict({ nonce: 'guessed' })), submits));
    expect(yielded(await bench.run()).reading).toMatchObject({ verdict: 'DONE', via: 'tool' });
    expect(newest(bench.server.requests[1])).toMatch(/nonce/);
  });

  it('reports what can be watched, and counts what it cost', async () => {
    const bench = await workbench(
      inTurn(
        calls(
          'run_command',
          { command: 'echo hello' },
          {
            words: 'Running it.',
            usage: {
              input_tokens: 1_000,
              output_tokens: 100,
              cache_read_input_tokens: 10_000,
              cache_creation_input_tokens: 2_000,
            },
          },
        ),
        submits,
      ),
    );
    yielded(await bench.run());
    expect(bench.desk.events.map(({ type }) => type)).toEqual([
      'text',
      'tool_started',
      'terminal_output',
      'tool_ended',
      'tool_started',
      'text',
      'tool_ended',
    ]);
    expect(bench.desk.events).toContainEqual(
      expect.objectContaining({ type: 'tool_started', tool: 'run_command', summary: '$ echo hello' }),
    );
    expect(bench.desk.events).toContainEqual(
      expect.objectContaining({ type: 'tool_ended', tool: 'run_command', ok: true, summary: 'exit code 0' }),
    );
    expect(bench.desk.calls[0]).toEqual({
      model: MODEL,
      inputTokens: 1_000,
      outputTokens: 100,
      cacheReadTokens: 10_000,
      cacheWriteTokens: 2_000,
      usd: (1_000 * 2 + 100 * 10 + 10_000 * 0.1 + 2_000 * 2.5) / 1_000_000,
      durationMs: 0,
    });
    expect(bench.desk.calls).toHaveLength(2);
  });

  it('understands a stream however it is split', async () => {
    const bench = await workbench(
      inTurn(
        calls('write_file', { path: 'é.txt', text: 'naïve — 日本\n' }, { words: '日本語', bytesPerWrite: 3 }),
        submits,
      ),
    );
    const turn = yielded(await bench.run());
    expect(turn.text).toContain('日本語');
    expect(await readFile(join(bench.directory, 'é.txt'), 'utf8')).toBe('naïve — 日本\n');
  });

  it('gives back what a model thought to the same model, and not to another', async () => {
    const thinking = { type: 'thinking' as const, thinking: 'hmm', signature: 'sig' };
    const bench = await workbench(
      inTurn(
        { kind: 'message', content: [thinking, { type: 'tool_use', name: 'list_files', input: {} }] },
        says('One.'),
        says('Two.'),
      ),
    );
    yielded(await bench.run());
    expect(JSON.stringify(bench.server.requests[1]?.messages)).toContain('"signature":"sig"');
    const settings = { ...bench.request.settings, model: 'claude-opus-5-5' };
    yielded(await bench.run({ turnId: 'turn_2', prompt: 'Go on.', settings }));
    expect(JSON.stringify(bench.server.requests[2]?.messages)).not.toContain('signature');
  });

  it('goes on in its session with the next prompt', async () => {
    const bench = await workbench(inTurn(submits, says('DONE')));
    yielded(await bench.run());
    yielded(await bench.run({ turnId: 'turn_2', prompt: 'And now tidy up.' }));
    const [first, second] = bench.server.requests;
    expect(second?.messages[0]).toEqual(expect.objectContaining({ role: 'user' }));
    expect(textOf(second?.messages[0] ?? { role: 'user', content: '' })).toBe(newest(first));
    expect(newest(second)).toContain('And now tidy up.');
  });
});

describe('caching', () => {
  it('marks the tools, the system prompt and the newest two of our messages', async () => {
    const bench = await workbench(
      inTurn(calls('list_files', {}), calls('list_files', {}), calls('list_files', {}), submits),
    );
    yielded(await bench.run());
    const last = bench.server.requests[3];
    const marked = (value: unknown): number => JSON.stringify(value).split('"cache_control"').length - 1;
    expect(marked(last?.tools?.at(-1))).toBe(1);
    expect(marked(last?.tools)).toBe(1);
    expect(marked(last?.system)).toBe(1);
    expect(last?.messages.map(marked)).toEqual([0, 0, 0, 0, 1, 0, 1]);
  });

  it('sends the same beginning each time, byte for byte', async () => {
    const bench = await workbench(inTurn(calls('list_files', {}), calls('list_files', {}), submits));
    yielded(await bench.run());
    const unmarked = (request: MessagesRequest | undefined): string =>
      JSON.stringify({ ...request, messages: undefined }) +
      JSON.stringify(request?.messages).replaceAll(',"cache_control":{"type":"ephemeral"}', '').slice(0, -1);
    const [one, two, three] = bench.server.requests.map(unmarked);
    expect(two?.startsWith(one ?? '?')).toBe(true);
    expect(three?.startsWith(two ?? '?')).toBe(true);
  });
});

describe('follow-ups', () => {
  it('go with the next request, and count as taken once it is answered', async () => {
    const bench = await workbench(
      inTurn(
        () => {
          bench.desk.waiting = [{ id: 'msg_1', text: 'Also rename it.' }];
          return calls('list_files', {});
        },
        () => {
          expect(bench.desk.takenMessages).toEqual([]);
          return calls('list_files', {});
        },
        submits,
      ),
    );
    yielded(await bench.run());
    expect(newest(bench.server.requests[1])).toContain('Also rename it.');
    expect(newest(bench.server.requests[2])).not.toContain('Also rename it.');
    expect(bench.desk.takenMessages).toEqual(['msg_1']);
  });

  it('are not taken where the request that carried them failed', async () => {
    const bench = await workbench(inTurn(says('x', { fault: { kind: 'cut', afterEvents: 4 } }), submits));
    bench.desk.waiting = [{ id: 'msg_1', text: 'Also rename it.' }];
    expect((await bench.run()).ok).toBe(false);
    expect(bench.desk.takenMessages).toEqual([]);
    yielded(await bench.run());
    expect(newest(bench.server.requests[1])).toContain('Also rename it.');
    expect(bench.desk.takenMessages).toEqual(['msg_1']);
  });

  it('are told as taken, and not said twice, where the host died in between', async () => {
    const bench = await workbench(inTurn(calls('list_files', {}), submits));
    bench.desk.waiting = [{ id: 'msg_1', text: 'Also rename it.' }];
    bench.desk.onStep = (step) => {
      if (step === 'before taken') throw new Error('The host died.');
    };
    await expect(bench.run()).rejects.toThrow('The host died.');
    const next = bench.nextLife();
    next.desk.waiting = bench.desk.waiting;
    yielded(await next.run({ resumed: true }));
    expect(next.desk.takenMessages).toEqual(['msg_1']);
    expect(JSON.stringify(next.server.requests[1]?.messages).split('Also rename it.')).toHaveLength(2);
  });
});

describe('a budget that is used up', () => {
  it('is said to the model with how many replies are left', async () => {
    const bench = await workbench(inTurn(calls('list_files', {}), submits));
    bench.desk.permits = [{ kind: 'go' }, { kind: 'wrap_up', limit: 'usd', callsLeft: 3 }];
    yielded(await bench.run());
    expect(newest(bench.server.requests[0])).not.toContain('budget');
    expect(newest(bench.server.requests[1])).toMatch(
      /budget \(usd\) is used up.*3 replies left.*submit_verdict/s,
    );
  });

  it('ends the turn when the grace is used up too', async () => {
    const bench = await workbench(inTurn(calls('list_files', {})));
    bench.desk.permits = [
      { kind: 'wrap_up', limit: 'tokens', callsLeft: 1 },
      { kind: 'refused', limit: 'tokens' },
    ];
    expect(await bench.run()).toMatchObject({ ok: false, failure: { tag: 'budget' } });
    expect(bench.server.requests).toHaveLength(1);
  });
});

describe('a reply at its limit of tokens', () => {
  it('is gone on with', async () => {
    const bench = await workbench(inTurn(says('It begins', { stop: 'max_tokens' }), submits));
    yielded(await bench.run());
    expect(newest(bench.server.requests[1])).toMatch(/limit of tokens/);
  });

  it('never carries out the call that it ends in', async () => {
    const bench = await workbench(
      inTurn(calls('write_file', { path: 'half.txt', text: 'half of' }, { stop: 'max_tokens' }), submits),
    );
    yielded(await bench.run());
    await expect(readFile(join(bench.directory, 'half.txt'))).rejects.toThrow('ENOENT');
    expect(newest(bench.server.requests[1])).toMatch(/was not run.*smaller/s);
  });

  it('never counts a verdict that it ends in', async () => {
    const bench = await workbench(inTurn({ ...submits, stop: 'max_tokens' }, says('BLOCKED: no idea.')));
    expect(yielded(await bench.run()).reading).toMatchObject({ verdict: 'BLOCKED' });
  });

  it('ends the turn after a few in a row', async () => {
    const endless: Script = () => says('and', { stop: 'max_tokens' });
    const bench = await workbench(endless);
    expect(await bench.run()).toMatchObject({ ok: false, failure: { tag: 'cut_off', forGood: false } });
    expect(bench.server.requests).toHaveLength(3);
  });
});

describe('a reviewer', () => {
  const changes: TaskChanges = {
    points: [
      { name: 'base', description: 'what the work started from' },
      { name: 'now', description: 'what is under review' },
    ],
    diff: (from, to, path) => Promise.resolve(ok(`diff of ${path ?? 'all'} from ${from} to ${to}`)),
  };

  async function reviewed(script: Script) {
    const bench = await workbench(script);
    const result = await bench.run({
      role: 'reviewer',
      purpose: 'review',
      place: await snapshotPlace(bench.directory),
      changes,
    });
    return { bench, result };
  }

  const review = calls('submit_verdict', verdict());

  it('has no tool that can write or start a process', async () => {
    const { bench } = await reviewed(inTurn(review));
    const names = bench.server.requests[0]?.tools?.map(({ name }) => name);
    expect(names).toEqual(['list_files', 'read_file', 'search_files', 'diff', 'submit_verdict']);
  });

  it('cannot call one that it was not given', async () => {
    const { bench } = await reviewed(
      inTurn(
        calls('run_command', { command: 'touch owned' }),
        calls('write_file', { path: 'owned', text: '' }),
        review,
      ),
    );
    expect(newest(bench.server.requests[1])).toMatch(/no tool "run_command"/);
    expect(newest(bench.server.requests[2])).toMatch(/no tool "write_file"/);
    await expect(readFile(join(bench.directory, 'owned'))).rejects.toThrow('ENOENT');
    expect(bench.desk.memory.effects.size).toBe(0);
  });

  it('has none either where it is given a directory', async () => {
    const bench = await workbench(inTurn(calls('submit_verdict', verdict({ verdict: 'PROCEED' }))));
    yielded(await bench.run({ role: 'arbiter', purpose: 'arbitrate' }));
    const names = bench.server.requests[0]?.tools?.map(({ name }) => name);
    expect(names).toEqual(['list_files', 'read_file', 'search_files', 'submit_verdict']);
  });

  it('compares the snapshots of the task', async () => {
    const { bench } = await reviewed(
      inTurn(
        calls('diff', {}),
        calls('diff', { from: 'base', to: 'now', path: 'src' }),
        calls('diff', { from: 'then' }),
        review,
      ),
    );
    expect(newest(bench.server.requests[1])).toBe('diff of all from base to now');
    expect(newest(bench.server.requests[2])).toBe('diff of src from base to now');
    expect(newest(bench.server.requests[3])).toMatch(/no snapshot "then".*base: what the work started from/s);
  });
});

it('keeps the nonce out of everything that is cached between turns', async () => {
  const bench = await workbench(inTurn(submits));
  yielded(await bench.run());
  const { system, tools } = bench.server.requests[0] ?? {};
  expect(JSON.stringify({ system, tools })).not.toContain(NONCE);
});
