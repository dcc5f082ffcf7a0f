/**
 * Shows the whole tribunal without key, Docker or network: a real project, a real host, real edits and test runs;
 * only the model's replies are recorded. Exits 0 only if the task ended as done, reviewed, and the project's own
 * test passes on the approved content.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { startMessagesServer } from '../../test/fakes/messages-server/server.ts';
import { makeProject } from './project.ts';
import { readRecording, replay } from './recording.ts';

const root = resolve(import.meta.dirname, '../..');
const demo = join(root, 'resources', 'demo');
const playground = mkdtempSync(join(tmpdir(), 'tribune-demo-'));
const project = join(playground, 'till');
const environment = {
  ...process.env,
  TRIBUNE_HOME: join(playground, 'home'),
  // Not a key: the recording's server takes any.
  ANTHROPIC_API_KEY: 'recorded',
};

const shownSchema = z.object({
  task: z.object({ id: z.string(), state: z.string(), ending: z.string().nullable() }),
});

const problems: string[] = [];
const recording = readRecording(join(demo, 'recording.json'));
const server = await startMessagesServer(replay(recording, (problem) => problems.push(problem)));
try {
  makeProject(join(demo, 'project'), project);
  tell(`A small project with a failing test: ${project}`);
  tell(`RECORDED: the model's replies, served from resources/demo/recording.json at ${server.url}.`);
  tell(
    'REAL: everything else: the host, the worktree, the edits, the test runs, the snapshots, the verdicts.\n',
  );
  process.exitCode = (await succeeds()) ? 0 : 1;
} finally {
  await server.close();
  rmSync(playground, { recursive: true, force: true });
}

async function succeeds(): Promise<boolean> {
  const ended = await tribune(
    [
      'run',
      '--dir',
      project,
      '--setup',
      'npm ci --offline --no-audit --no-fund',
      '--dependency',
      'node_modules',
    ].concat(recording.request),
    'inherit',
  );
  for (const problem of problems) tell(`The recording refused a request: ${problem}`);
  const listed = await tribune(['tasks', '--json'], 'pipe');
  const [task] = z.array(shownSchema.shape.task).parse(JSON.parse(listed.output));
  if (task === undefined) return fail('There is no task.');
  const used = server.requests.length;
  if (used !== recording.exchanges.length) {
    return fail(`${used} of ${recording.exchanges.length} recorded replies were used.`);
  }
  if (ended.code !== 0 || task.ending !== 'reviewed') {
    return fail(`The task is ${task.state} (${task.ending ?? 'not ended'}), not done and reviewed.`);
  }
  const before = await run('git', ['status', '--porcelain'], project, 'pipe');
  if (before.output !== '') return fail(`The person's checkout was touched:\n${before.output}`);
  tell('\nThe checkout was not touched so far. The approved snapshot is brought into it:');
  const applied = await tribune(['apply', task.id], 'inherit');
  if (applied.code !== 0) return fail('The approved content could not be applied.');
  await run('npm', ['ci', '--offline', '--no-audit', '--no-fund'], project, 'pipe');
  const tested = await run('npm', ['test'], project, 'pipe');
  if (tested.code !== 0) return fail(`The project's test fails on the approved content:\n${tested.output}`);
  tell("\nDone, reviewed, and the project's own test passes on the approved content.");
  return true;
}

function tribune(args: readonly string[], output: 'inherit' | 'pipe'): Promise<Ended> {
  return run(process.execPath, [join(root, 'out', 'main', 'tribune.js'), ...args], root, output);
}

interface Ended {
  readonly code: number | null;
  readonly output: string;
}

function run(
  program: string,
  args: readonly string[],
  directory: string,
  output: 'inherit' | 'pipe',
): Promise<Ended> {
  return new Promise((finish, reject) => {
    const child = spawn(program, args, {
      cwd: directory,
      env: { ...environment, ANTHROPIC_BASE_URL: server.url },
      stdio: ['ignore', output, output === 'pipe' ? 'pipe' : 'inherit'],
    });
    let text = '';
    const collect = (chunk: Buffer): void => {
      text += chunk.toString('utf8');
    };
    child.stdout?.on('data', collect);
    child.stderr?.on('data', collect);
    child.on('error', reject);
    child.on('close', (code) => {
      finish({ code, output: text });
    });
  });
}

function tell(text: string): void {
  console.log(text);
}

function fail(problem: string): false {
  console.error(`\nThe demo failed. ${problem}`);
  return false;
}
