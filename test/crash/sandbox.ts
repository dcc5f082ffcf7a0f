import { execFileSync, spawn } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startMessagesServer } from '../fakes/messages-server/server.ts';
import type { MessagesServer } from '../fakes/messages-server/server.ts';
import { carefulModel } from './careful-model.ts';
import { passageSchema } from './death.ts';
import type { Death, Passage } from './death.ts';
import type { Order } from './life.ts';
import { goFileFor } from './scenario.ts';

/** How one life of a host went. */
export interface Life {
  readonly signal: NodeJS.Signals | null;
  readonly code: number | null;
  readonly passages: readonly Passage[];
  /** What it printed: why it failed, where it did. */
  readonly output: string;
}

/** A life that takes longer hangs: it is ended, and its test fails. */
const LONGEST_LIFE_MS = 90_000;

/** A person's project, a data directory and a model, which outlive the hosts that use them. */
export class Sandbox {
  public readonly project: string;
  public readonly dataDirectory: string;
  public readonly model: MessagesServer;
  readonly #root: string;
  #lives = 0;

  private constructor(root: string, model: MessagesServer) {
    this.#root = root;
    this.project = projectIn(root);
    this.dataDirectory = join(root, 'data');
    this.model = model;
  }

  public static async make(): Promise<Sandbox> {
    const root = mkdtempSync(join(tmpdir(), 'tribune-crash-'));
    const project = projectIn(root);
    makeProject(project);
    return new Sandbox(root, await startMessagesServer(carefulModel(goFileFor(project))));
  }

  public async remove(): Promise<void> {
    await this.model.close();
    rmSync(this.#root, { recursive: true, force: true });
  }

  /** Starts a host that goes on with the scenario, and waits for its end. */
  public live(death: Death | null): Promise<Life> {
    this.#lives += 1;
    const recordFile = join(this.#root, `life-${this.#lives}`);
    writeFileSync(recordFile, '');
    const { dataDirectory, project, model } = this;
    const order: Order = { dataDirectory, project, modelUrl: model.url, recordFile, death };
    const program = join(import.meta.dirname, 'life.ts');
    const child = spawn(process.execPath, [program, JSON.stringify(order)], {
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: LONGEST_LIFE_MS,
      // Not the signal that a life is meant to die by.
      killSignal: 'SIGABRT',
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) => {
        output += chunk.toString('utf8');
      });
    }
    return new Promise((resolve, reject) => {
      child.on('error', reject);
      // Not `close`: what outlives the host may hold its output open.
      child.on('exit', (code, signal) => {
        resolve({ signal, code, output, passages: passagesIn(recordFile) });
      });
    });
  }

  /** Processes that were started for this sandbox and still run; none on systems that do not show them. */
  public processes(): string[] {
    if (process.platform !== 'linux') return [];
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .flatMap((pid) => {
        try {
          const directory = readlinkSync(`/proc/${pid}/cwd`);
          const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
          return `${directory} ${command}`.includes(this.#root) ? [`${pid}: ${command}in ${directory}`] : [];
        } catch {
          // It has ended meanwhile, or is somebody else's.
          return [];
        }
      });
  }
}

function projectIn(root: string): string {
  return join(root, 'project');
}

function makeProject(directory: string): void {
  mkdirSync(directory);
  writeFileSync(join(directory, 'README.md'), 'A small project.\n');
  writeFileSync(join(directory, '.gitignore'), 'deps/\n');
  const git = (...args: string[]): void => {
    execFileSync('git', args, { cwd: directory, stdio: 'ignore' });
  };
  git('init', '--quiet', '--initial-branch=main');
  git('add', '--all');
  git(
    '-c',
    'user.name=Ada',
    '-c',
    'user.email=ada@example.invalid',
    'commit',
    '--quiet',
    '--message',
    'Begin',
  );
}

function passagesIn(recordFile: string): Passage[] {
  return readFileSync(recordFile, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => passageSchema.parse(JSON.parse(line)));
}
