#!/usr/bin/env node
// A program that behaves as FAKE_CLAUDE says, in the protocol of Claude Code's print mode or out of it.
import { createInterface } from 'node:readline';

const session = '11111111-2222-4333-8444-555555555555';
const say = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);
const init = () => say({ type: 'system', subtype: 'init', session_id: session, apiKeySource: 'none' });
const echo = (input) => say({ ...input, isReplay: true });
const assistant = (...content) =>
  say({ type: 'assistant', parent_tool_use_id: null, message: { model: 'claude', content } });
const result = (over = {}) =>
  say({ type: 'result', subtype: 'success', is_error: false, result: 'DONE', ...over });

const behaviours = {
  good: (input) => {
    init();
    echo(input);
    assistant({ type: 'text', text: 'DONE' });
    result();
  },
  garbage: () => {
    process.stdout.write('Welcome to something else!\nIt is no JSON.\n[1, 2]\n{"no": "type"}\nend\n');
    process.exit(0);
  },
  garbage_between: (input) => {
    init();
    for (let line = 0; line < 5; line += 1) process.stdout.write(`warning ${line}\n`);
    behaviours.good(input);
  },
  half_line: (input) => {
    init();
    echo(input);
    process.stdout.write('{"type":"assistant","message":{"mod', () => process.exit(0));
  },
  whole_last_line: (input) => {
    init();
    echo(input);
    assistant({ type: 'text', text: 'DONE' });
    process.stdout.write(JSON.stringify({ type: 'result', subtype: 'success', is_error: false }), () =>
      process.exit(0),
    );
  },
  long_line: () => {
    init();
    const megabyte = 'x'.repeat(1024 * 1024);
    let left = 100;
    const go = () => {
      while (left > 0) {
        left -= 1;
        if (!process.stdout.write(megabyte)) return void process.stdout.once('drain', go);
      }
    };
    go();
  },
  silent: (input) => {
    init();
    echo(input);
  },
  no_result: (input) => {
    init();
    echo(input);
    assistant({ type: 'text', text: 'DONE' });
    process.exitCode = 0;
    process.stdin.destroy();
  },
  result_and_exit_1: (input) => {
    behaviours.good(input);
    process.stderr.write('It broke at the end.\n');
    process.exitCode = 1;
    process.stdin.destroy();
  },
  lingers: (input) => {
    behaviours.good(input);
    setTimeout(() => say({ type: 'system', subtype: 'afterwards' }), 50);
    setInterval(() => undefined, 1_000);
  },
  crash: () => {
    process.stderr.write('Segmentation fault\n');
    process.exit(139);
  },
  too_old: () => {
    process.stderr.write("error: unknown option '--replay-user-messages'\n");
    process.exit(1);
  },
  limit_banner: (input) => {
    init();
    echo(input);
    result({ is_error: true, result: "You've hit your limit · resets 4pm (Europe/Berlin)" });
    process.exitCode = 1;
    process.stdin.destroy();
  },
  limit_event: (input) => {
    init();
    echo(input);
    say({ type: 'rate_limit_event', rate_limit_info: { status: 'rejected', resetsAt: 4_102_444_800 } });
    result({ is_error: true, api_error_status: 429, result: 'API Error: Request rejected (429)' });
    process.exitCode = 1;
    process.stdin.destroy();
  },
  talks_of_limits: (input) => {
    init();
    echo(input);
    assistant({ type: 'text', text: "You've hit your limit · resets 4pm (Europe/Berlin)\n\nDONE" });
    result({ result: "You've hit your limit · resets 4pm (Europe/Berlin)" });
  },
};

if (process.argv.includes('--version')) {
  console.log(process.env.FAKE_VERSION ?? '2.1.332 (Claude Code)');
} else if (process.argv.includes('auth')) {
  console.log(process.env.FAKE_LOGIN ?? '{"loggedIn": true}');
} else {
  const behave = behaviours[process.env.FAKE_CLAUDE];
  createInterface({ input: process.stdin }).once('line', (line) => behave(JSON.parse(line)));
}
