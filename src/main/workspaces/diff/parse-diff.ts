import type { FileDiff, Hunk } from '../../ports/workspace.ts';
import { bytePathsIn, textOfPath } from '../git/byte-path.ts';
import type { BytePath } from '../git/byte-path.ts';

/** Lines of hunks that are kept per file; a reader who wants more reads the file. */
export const MAX_LINES_PER_FILE = 2_000;

/** Characters of one line that are kept, so that one minified file does not fill a prompt. */
export const MAX_CHARACTERS_PER_LINE = 2_000;

/** A changed file before its hunks are known. */
export type FileChange = Omit<FileDiff, 'hunks' | 'truncated'>;

interface Mutable {
  path: string;
  previousPath: string | null;
  change: FileDiff['change'];
  binary: boolean;
  additions: number;
  deletions: number;
}

/** Reads what `git diff-tree -r -z --raw --numstat` printed: the changed files in order, with their counts. */
export function parseChanges(output: Buffer): FileChange[] {
  const fields = bytePathsIn(output);
  const changes: Mutable[] = [];
  const next = fields.values();
  const take = (): BytePath => next.next().value ?? ('' as BytePath);
  let counted = 0;
  for (let field = take(); field !== ''; field = take()) {
    if (field.startsWith(':')) {
      changes.push(changeOf(field, take));
      continue;
    }
    const [additions = '', deletions = '', path = ''] = field.split('\t');
    // A rename's two paths follow as fields of their own.
    if (path === '') {
      take();
      take();
    }
    const change = changes[counted++];
    if (change === undefined) continue;
    change.binary = additions === '-';
    change.additions = change.binary ? 0 : Number(additions);
    change.deletions = change.binary ? 0 : Number(deletions);
  }
  return changes;
}

function changeOf(raw: string, take: () => BytePath): Mutable {
  const [oldMode = '', newMode = '', oldObject, newObject, status = ''] = raw.slice(1).split(' ');
  const first = take();
  const renamed = status.startsWith('R');
  const path = renamed ? take() : first;
  const modeOnly = status === 'M' && oldMode !== newMode && oldObject === newObject;
  return {
    path: textOfPath(path),
    previousPath: renamed ? textOfPath(first) : null,
    change: modeOnly ? 'mode' : kindOf(status),
    binary: false,
    additions: 0,
    deletions: 0,
  };
}

function kindOf(status: string): FileDiff['change'] {
  switch (status.charAt(0)) {
    case 'A':
      return 'added';
    case 'D':
      return 'deleted';
    case 'R':
      return 'renamed';
    case 'T':
      return 'type';
    default:
      return 'modified';
  }
}

interface Section {
  readonly hunks: Hunk[];
  truncated: boolean;
}

/**
 * Puts the hunks of a patch to its files. A patch has one section per file, in the order of the list; a change of
 * type (a file that became a link) has two. `cut` says that the patch ends before its end.
 */
export function withHunks(changes: readonly FileChange[], patch: string, cut: boolean): FileDiff[] {
  const sections = parseSections(patch);
  const last = sections.at(-1);
  if (cut && last !== undefined) last.truncated = true;
  let at = 0;
  return changes.map((change) => {
    const own = sections.slice(at, at + (change.change === 'type' ? 2 : 1));
    at += change.change === 'type' ? 2 : 1;
    const missing = cut && own.length === 0;
    return {
      ...change,
      hunks: own.flatMap((section) => section.hunks),
      truncated: missing || own.some((section) => section.truncated),
    };
  });
}

function parseSections(patch: string): Section[] {
  const sections: Section[] = [];
  let section: Section | null = null;
  let lines: string[] | null = null;
  let count = 0;
  for (const line of patch.split('\n')) {
    // Lines of a file begin with a sign, so this can only be a header.
    if (line.startsWith('diff --git ')) {
      section = { hunks: [], truncated: false };
      sections.push(section);
      lines = null;
      count = 0;
      continue;
    }
    if (section === null) continue;
    const hunk = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(line);
    if (hunk !== null) {
      lines = [];
      section.hunks.push({
        oldStart: Number(hunk[1]),
        oldLines: Number(hunk[2] ?? 1),
        newStart: Number(hunk[3]),
        newLines: Number(hunk[4] ?? 1),
        lines,
      });
    } else if (lines !== null && /^[ +\-\\]/.test(line)) {
      if (count++ >= MAX_LINES_PER_FILE) section.truncated = true;
      else {
        section.truncated ||= line.length > MAX_CHARACTERS_PER_LINE;
        lines.push(line.slice(0, MAX_CHARACTERS_PER_LINE));
      }
    }
  }
  return sections;
}
