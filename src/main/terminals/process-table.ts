import { execFile } from 'node:child_process';
import { readFile } from 'node:fs';
import { readdir } from 'node:fs/promises';
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
  const [state, parent, , session] = fields;
  const started = fields[19];
  if (started === undefined) return null;
  return {
    pid: Number(name),
    parent: Number(parent),
    session: Number(session),
    started: Number(started),
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

async function readPs(): Promise<readonly ProcessRow[]> {
  const { stdout } = await execute('ps', ['-A', '-o', 'pid=,ppid=,pgid=,state=,lstart='], {
    maxBuffer: 16 * 1024 * 1024,
    env: { ...process.env, LC_ALL: 'C' },
  });
  const rows: ProcessRow[] = [];
  for (const line of stdout.split('\n')) {
    const match = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(.+)$/.exec(line);
    const [, pid, parent, group, state, started] = match ?? [];
    if (started === undefined || state?.startsWith('Z') !== false) continue;
    rows.push({
      pid: Number(pid),
      parent: Number(parent),
      session: Number(group),
      started: Date.parse(started),
      mark: null,
    });
  }
  return rows;
}
