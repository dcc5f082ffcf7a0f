import { mkdir, readdir, readFile, realpath, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import type { FilesFailure, WritableFiles } from '../../src/main/ports/workspace.ts';
import { err, ok, type Result } from '../../src/shared/kernel/result.ts';

/** The least of the files port on a real directory, for tests of what uses it. */
export function directoryFiles(root: string): WritableFiles {
  const inside = async (path: string): Promise<Result<string, FilesFailure>> => {
    const full = join(root, path);
    const real = await realpath(full).catch(() => full);
    const outside = relative(await realpath(root), real).startsWith('..');
    if (outside) return failure('outside', `"${path}" is outside the work.`);
    return path.includes('.env') ? failure('secret', `"${path}" looks like a secret.`) : ok(full);
  };
  const readText = async (path: string): Promise<Result<string, FilesFailure>> => {
    const full = await inside(path);
    if (!full.ok) return full;
    return readFile(full.value, 'utf8').then(ok, () => failure('missing', `There is no file "${path}".`));
  };
  const write = async (path: string, text: string): Promise<Result<void, FilesFailure>> => {
    const full = await inside(path);
    if (!full.ok) return full;
    await mkdir(dirname(full.value), { recursive: true });
    await writeFile(full.value, text);
    return ok(undefined);
  };
  return {
    async list(path) {
      const full = await inside(path);
      if (!full.ok) return full;
      const entries = await readdir(full.value, { withFileTypes: true });
      return ok(
        entries
          .map((entry) => ({
            path: join(path, entry.name),
            kind: entry.isDirectory() ? ('directory' as const) : ('file' as const),
          }))
          .sort((a, b) => (a.path < b.path ? -1 : 1)),
      );
    },
    async read(path, range) {
      const text = await readText(path);
      if (!text.ok) return text;
      const lines = text.value.replace(/\n$/, '').split('\n');
      const chosen = range === undefined ? lines : lines.slice(range.from - 1, range.to);
      return ok({ text: `${chosen.join('\n')}\n`, totalLines: lines.length, truncated: false });
    },
    async search(pattern, path) {
      const listed = await readdir(join(root, path), { withFileTypes: true });
      const matches = [];
      for (const entry of listed.filter((one) => one.isFile())) {
        const text = await readText(join(path, entry.name));
        if (!text.ok) continue;
        for (const [index, line] of text.value.split('\n').entries()) {
          if (new RegExp(pattern).test(line))
            matches.push({ path: join(path, entry.name), line: index + 1, text: line });
        }
      }
      return ok({ matches, truncated: false });
    },
    write,
    async edit(path, before, after) {
      const text = await readText(path);
      if (!text.ok) return text;
      const parts = text.value.split(before);
      if (parts.length === 1) return failure('no_match', `"${path}" does not contain that text.`);
      if (parts.length > 2)
        return failure('several_matches', `"${path}" contains that text ${parts.length - 1} times.`);
      return write(path, parts.join(after));
    },
  };
}

function failure(tag: FilesFailure['tag'], message: string): Result<never, FilesFailure> {
  return err({ tag, message });
}
