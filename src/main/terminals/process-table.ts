import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { MARK_VARIABLE } from './environment.ts';

/** One running process. The number alone names none: numbers are used again, so its start tells it apart. */
export interface ProcessRow {
  readonly pid: number;
  readonly parent: number;
  /** The session it is in, or where the system does not say, its group. */
  readonly session: number;
  /** When it started, in the system's own words: only good for comparing. */
  readonly started: string;
  /** The mark of the terminal that it was started in; null where it has none or it cannot be read. */
  readonly mark: string | null;
}

const execute = promisify(execFile);

/** Every running process that can be seen. Zombies are left out: there is nothing left in them to end. */
export async function readProcessTable(): Promise<readonly ProcessRow[]> {
  return process.platform === 'linux' ? readProc() : readPs();
}

async function readProc(): Promise<readonly ProcessRow[]> {
  const names = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const rows = await Promise.all(names.map(readProcRow));
  return rows.filter((row) => row !== null);
}

async function readProcRow(name: string): Promise<ProcessRow | null> {
  const stat = await readIfThere(`/proc/${name}/stat`);
  // The program's name is in brackets and may hold brackets and spaces itself; see proc_pid_stat(5).
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state, parent, , session] = fields ?? [];
  const started = fields?.[19];
  if (state === undefined || state === 'Z' || state === 'X' || started === undefined) return null;
  const environment = await readIfThere(`/proc/${name}/environ`);
  return {
    pid: Number(name),
    parent: Number(parent),
    session: Number(session),
    started,
    mark: markIn(environment ?? ''),
  };
}

function markIn(environment: string): string | null {
  const begin = `${MARK_VARIABLE}=`;
  const entry = environment.split('\0').find((text) => text.startsWith(begin));
  return entry?.slice(begin.length) ?? null;
}

/** A process can end, or belong to somebody else, between being listed and being read. */
async function readIfThere(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'latin1');
  } catch {
    return null;
  }
}

async function readPs(): Promise<readonly ProcessRow[]> {
  const { stdout } = await execute('ps', ['-A', '-o', 'pid=,ppid=,pgid=,state=,lstart='], {
    maxBuffer: 16 * 1024 * 1024,
  });
  const rows: ProcessRow[] = [];
  for (const line of stdout.split('\n')) {
    const match = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(.+)$/.exec(line);
    const [, pid, parent, group, state, started] = match ?? [];
    if (started === undefined || state?.startsWith('Z') !== false) continue;
    rows.push({ pid: Number(pid), parent: Number(parent), session: Number(group), started, mark: null });
  }
  return rows;
}
