import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { calls, inTurn, says } from '../../fakes/responses-server/script.ts';
import { describeWithCodingClis } from '../../support/coding-clis.ts';
import { expectNotice, screenOf, toolLines } from './cli-support.ts';
import { codexBench, onModel, saidInRequest, SCRIPTING_MODEL, scripts, submits } from './codex-support.ts';
import { yielded } from './support.ts';

const MAKE = { cmd: 'echo made > made.txt && echo token=$TRIBUNE_GATE_TOKEN' };
const PATCH = '*** Begin Patch\\n*** Add File: patched.txt\\n+patched\\n*** End Patch';

describeWithCodingClis('the engine codex', ({ codex }) => {
  it('lets an owner work, and takes its verdict through the tool', async () => {
    const usage = { input_tokens: 1_000, cached_tokens: 400, output_tokens: 50 };
    const bench = await codexBench(
      codex,
      inTurn(calls('exec_command', MAKE, { usage }), submits(), says('It is made.')),
    );
    const { own, directory, desk, server } = bench;
    const turn = yielded(await own());
    expect(turn.reading).toEqual({ kind: 'verdict', verdict: 'DONE', via: 'tool' });
    expect(turn.text).toBe('It is made.\n\nAll is well.');
    expect(readFileSync(join(directory, 'made.txt'), 'utf8')).toBe('made\n');
    expect(toolLines(desk)).toEqual(['shell ok', 'submit_verdict ok']);
    expect(server.refusals).toEqual([]);
    expect(saidInRequest(bench, 1)).toContain('You are the owner of this work.');

    // Each call is counted once, by the gate.
    expect(desk.calls).toHaveLength(3);
    expect(desk.calls[0]).toMatchObject({
      inputTokens: 600,
      cacheReadTokens: 400,
      outputTokens: 50,
      usd: 0.01,
    });
    const ran = desk.events.find((event) => event.type === 'tool_ended' && event.tool === 'shell');
    expect(ran).toMatchObject({ summary: 'exit code 0: token=' });
    expect(screenOf(desk)).toContain('▸ shell');
  });

  it('lets an owner work by a script and a patch, as models do that it knows', async () => {
    const { own, directory, desk } = await codexBench(
      codex,
      inTurn(
        scripts(
          `text(await tools.exec_command(${JSON.stringify(MAKE)})); text(await tools.apply_patch("${PATCH}"))`,
        ),
        scripts(
          `text(await tools.mcp__tribune__submit_verdict({ verdict: 'DONE', nonce: 'n0nce-1234', summary: 'Well.' }))`,
        ),
        says('It is made.'),
      ),
    );
    const turn = yielded(await own(onModel(SCRIPTING_MODEL)));
    expect(turn.reading).toMatchObject({ verdict: 'DONE', via: 'tool' });
    expect(readFileSync(join(directory, 'patched.txt'), 'utf8')).toBe('patched\n');
    expect(toolLines(desk)).toEqual(['shell ok', 'edit ok', 'submit_verdict ok']);
  });

  it('keeps an owner who may not do everything out of what is not the work', async () => {
    const outside = join('/var/tmp', `tribune-outside-${crypto.randomUUID()}`);
    const { own, desk } = await codexBench(
      codex,
      inTurn(
        scripts(
          `try { text(await tools.apply_patch("*** Begin Patch\\n*** Add File: ${outside}\\n+x\\n*** End Patch")) } catch (e) { text(String(e)) }`,
        ),
        says('It could not be done.'),
      ),
    );
    yielded(await own({ ...onModel(SCRIPTING_MODEL), permissions: 'ask' }));
    expect(existsSync(outside)).toBe(false);
    expect(desk.wishes).toEqual([]);
  });

  it('goes on in its session in the next turn, and in a fresh one where that is lost', async () => {
    const bench = await codexBench(
      codex,
      inTurn(submits(), says('One.'), submits(), says('Two.'), submits(), says('Three.')),
    );
    const { own, desk } = bench;
    yielded(await own());
    yielded(await own({ turnId: 'turn_2' }));
    expect(saidInRequest(bench, 3)).toMatch(/Do all of the work[^]*One\.[^]*Go on with the work/);

    desk.transcript.append([
      { kind: 'cli_session', engine: 'codex', session: crypto.randomUUID(), home: 'host', turn: 'turn_2' },
    ]);
    yielded(await own({ turnId: 'turn_3' }));
    expect(saidInRequest(bench, 5)).toContain('Do all of the work.');
    expect(saidInRequest(bench, 5)).not.toContain('Go on with the work.');
    expectNotice(desk, 'no rollout found');
  });

  it('refuses a verdict with a nonce that is not of this turn', async () => {
    const { own, desk } = await codexBench(
      codex,
      inTurn(submits({ nonce: 'n0nce-of-before' }), says('So it is.')),
    );
    expect(yielded(await own()).reading.kind).toBe('none');
    expect(toolLines(desk)).toEqual(['submit_verdict failed']);
  });

  it('is given what came while it worked in the same turn, when it can be told', async () => {
    const message = { id: 'msg_1', text: 'Make it blue.' } as const;
    const bench = await codexBench(
      codex,
      inTurn(
        () => {
          bench.desk.offer(message);
          return submits();
        },
        says('It is made.'),
        submits({ summary: 'It is blue.' }),
        says('It is blue now.'),
      ),
    );
    const turn = yielded(await bench.own());
    expect(turn.reading).toMatchObject({ verdict: 'DONE' });
    expect(turn.text).toContain('It is made.');
    expect(turn.text).toContain('It is blue now.');
    expect(bench.desk.takenMessages).toEqual(['msg_1']);
    expect(saidInRequest(bench, 3)).toMatch(/It is made\.[^]*Make it blue\./);
  });
});
