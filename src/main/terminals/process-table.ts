import { execFile } from 'node:child_process';
import { readFile } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename } from 'node:path';
import { promisify } from 'node:util';
import { MARK_VARIABLE } from './environment.ts';

/** One running process. The number alone names none: numbers are used again, so its start tells it apart. */
export interface ProcessRow {
  readonly pid: number;
  readonly parent: number;
  /** The session it is in, or where the system does not say, its group. */
  readonly session: number;
  /** When it started, in a unit of the system's own: only good for comparing. */
  readonly started: number;
  /** The mark of the terminal that it was started in; null where it has none or it was not looked for. */
  readonly mark: string | null;
}

/** A process with the name of its program. */
export interface NamedProcess extends ProcessRow {
  readonly name: string;
}

const execute = promisify(execFile);
const isLinux = process.platform === 'linux';

/**
 * Every running process that can be seen. Zombies are left out: there is nothing left in them to end. Marks are
 * looked for in processes that started at `marksSince` or later only, since that is most of the work.
 */
export async function readProcessTable(marksSince = 0): Promise<readonly ProcessRow[]> {
  return isLinux ? readProc(marksSince) : readPs();
}

/** When a process started, as the table says it; 0, which is before all others, where that can't be told. */
export async function startOf(pid: number): Promise<number> {
  return isLinux ? ((await readStat(String(pid)))?.started ?? 0) : 0;
}

/** A process, its parent, and so on to the first of all; empty where it does not run. */
export async function lineageOf(pid: number): Promise<readonly NamedProcess[]> {
  const table = isLinux ? null : new Map((await readPs()).map((row) => [row.pid, row]));
  const lineage: NamedProcess[] = [];
  for (let next = pid; next > 0;) {
    const found = table === null ? await readNamed(next) : (table.get(next) ?? null);
    // Numbers are used again while we look: then this could go in a circle.
    if (found === null || lineage.some((one) => one.pid === found.pid)) break;
    lineage.push(found);
    next = found.parent;
  }
  return lineage;
}

async function readNamed(pid: number): Promise<NamedProcess | null> {
  const row = await readStat(String(pid));
  if (row === null || row.isZombie) return null;
  const [mark, commandLine] = await Promise.all([
    readIfThere(`/proc/${pid}/environ`).then(markIn),
    readIfThere(`/proc/${pid}/cmdline`),
  ]);
  const { parent, session, started, program } = row;
  const [command = ''] = commandLine.split('\0');
  // A thread of the kernel's has no command line.
  return { pid, parent, session, started, mark, name: command === '' ? program : nameOf(command) };
}

/** Most characters of a program's name. */
const NAME_CHARACTERS = 32;

/**
 * The program of a command, without the "-" that login shells have before theirs. A process chooses its own name, and
 * people get to read it: signs that could make it look like more than a name are replaced.
 */
function nameOf(command: string): string {
  const name = basename(command)
    .replace(/^-/, '')
    .replace(/[^\w.+@-]/g, '?');
  return name.slice(0, NAME_CHARACTERS);
}

async function readProc(marksSince: number): Promise<readonly ProcessRow[]> {
  const names = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const rows = await Promise.all(
    names.map(async (name): Promise<ProcessRow | null> => {
      const row = await readStat(name);
      if (row === null || row.isZombie) return null;
      const mark = row.started >= marksSince ? markIn(await readIfThere(`/proc/${name}/environ`)) : null;
      const { pid, parent, session, started } = row;
      return { pid, parent, session, started, mark };
    }),
  );
  return rows.filter((row) => row !== null);
}

async function readStat(name: string) {
  const stat = await readIfThere(`/proc/${name}/stat`);
  // The program's name is in brackets and may hold brackets and spaces itself; see proc_pid_stat(5).
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const program = stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')'));
  const [state, parent, , session] = fields;
  const started = fields[19];
  if (started === undefined) return null;
  return {
    pid: Number(name),
    parent: Number(parent),
    session: Number(session),
    started: Number(started),
    program,
    isZombie: state === 'Z' || state === 'X',
  };
}

function markIn(environment: string): string | null {
  const begin = `${MARK_VARIABLE}=`;
  const entry = environment.split('\0').find((text) => text.startsWith(begin));
  return entry?.slice(begin.length) ?? null;
}

/** A process can end, or belong to somebody else, between being listed and being read: then nothing is there. */
function readIfThere(path: string): Promise<string> {
  // With a callback: a look reads hundreds of such files, and promises of files cost twice as much.
  return new Promise((resolve) => {
    readFile(path, 'latin1', (problem, text) => {
      resolve(problem === null ? text : '');
    });
  });
}

async function readPs(): Promise<readonly NamedProcess[]> {
  const { stdout } = await execute('ps', ['-A', '-o', 'pid=,ppid=,pgid=,state=,lstart=,comm='], {
    maxBuffer: 16 * 1024 * 1024,
    env: { ...process.env, LC_ALL: 'C' },
  });
  const rows: NamedProcess[] = [];
  for (const line of stdout.split('\n')) {
    const match = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(\S+\s+\S+\s+\d+\s+[\d:]+\s+\d+)\s+(.+)$/.exec(line);
    const [, pid, parent, group, state, started, command] = match ?? [];
    if (started === undefined || command === undefined || state?.startsWith('Z') !== false) continue;
    rows.push({
      pid: Number(pid),
      parent: Number(parent),
      session: Number(group),
      started: Date.parse(started),
      mark: null,
      name: nameOf(command.trim()),
    });
  }
  return rows;
}
