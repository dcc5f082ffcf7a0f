import { counted } from '../../shared/kernel/text.ts';
import { isSecretShaped } from '../../shared/kernel/secret-shapes.ts';
import type { Diff, FileDiff } from '../ports/workspace.ts';
import { secretShaped } from './prompts/not-seen.ts';
import type { NotSeen } from './prompts/not-seen.ts';

/** Most characters of a diff that a prompt carries; the rest can be asked for with the diff tool. */
const MAX_DIFF_CHARACTERS = 60_000;

/** A diff as a prompt has it, and what of it that does not show. */
export interface PromptDiff {
  readonly text: string;
  readonly notShown: readonly NotSeen[];
}

/** A diff for a prompt: what changed in numbers, then the hunks of as many files as fit. */
export function promptDiff(diff: Diff, maxCharacters: number = MAX_DIFF_CHARACTERS): PromptDiff {
  if (diff.files.length === 0) return { text: 'Nothing has changed.', notShown: [] };
  const files = diff.files.map(fileLine).join('\n');
  const summary = `${counted(diff.files.length, 'file')}, +${diff.additions} −${diff.deletions}\n${files}`;
  let text = summary;
  const notShown: NotSeen[] = [];
  let shown = 0;
  for (const file of diff.files) {
    const withheld = isSecretShaped(file.path);
    const body = `\n\n${withheld ? withheldText(file) : fileText(file)}`;
    if (text.length + body.length > maxCharacters) break;
    text += body;
    shown += 1;
    if (withheld) notShown.push(secretShaped(file.path));
    else if (file.truncated)
      notShown.push({ what: file.path, why: 'its changes are too long to be shown whole' });
  }
  const left = diff.files.slice(shown);
  if (left.length === 0) return { text, notShown };
  const why = 'its changes did not fit into the prompt';
  return {
    text: `${text}\n\n(The hunks of ${counted(left.length, 'more file')} are left out here.)`,
    notShown: [...notShown, ...left.map(({ path }) => ({ what: path, why }))],
  };
}

/** A diff in the unified format, files one after another; empty where nothing has changed. */
export function unifiedDiff(diff: Diff): string {
  return diff.files.map((file) => `${fileText(file)}\n`).join('');
}

/** Agents are not shown what looks like a secret, in a diff either. */
function withheldText(file: FileDiff): string {
  return `${file.path}: not shown, because it looks like a secret.`;
}

function fileLine(file: FileDiff): string {
  const name = file.previousPath === null ? file.path : `${file.previousPath} → ${file.path}`;
  return `- ${file.change} ${name}${file.binary ? ' (binary)' : ` +${file.additions} −${file.deletions}`}`;
}

function fileText(file: FileDiff): string {
  const hunks = file.hunks.map(
    (hunk) =>
      `@@ -${hunk.oldStart},${hunk.oldLines} +${hunk.newStart},${hunk.newLines} @@\n${hunk.lines.join('\n')}`,
  );
  const left = file.truncated ? ['(The rest of this file is left out here: read the file itself.)'] : [];
  return [`--- ${file.previousPath ?? file.path}`, `+++ ${file.path}`, ...hunks, ...left].join('\n');
}
