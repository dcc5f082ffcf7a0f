import { constants } from 'node:fs';
import { mkdir, open, readdir, realpath, rename, rm, lstat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, sep } from 'node:path';
import { err, messageOf, ok } from '../../../shared/kernel/result.ts';
import type { Result } from '../../../shared/kernel/result.ts';
import { isSecretShaped } from '../../../shared/kernel/secret-shapes.ts';
import { ifThere, systemErrorCode } from '../../../shared/kernel/system-error.ts';
import type { Entry, FilesFailure, FileText, SearchResult, WritableFiles } from '../../ports/workspace.ts';
import type { Place } from '../content/take-snapshot.ts';
import type { SnapshotStore } from '../git/snapshot-store.ts';
import { checkedFilePath, checkedPath, missingFile, notADirectory, secretFile } from './file-path.ts';
import { binaryFile, isBinary, MAX_FILE_BYTES, textOf, tooLargeFile } from './file-text.ts';
import { searchWithGit } from './search.ts';

/** The mode of a file that an agent makes, before the umask. */
const NEW_FILE_MODE = 0o666;

/**
 * The files of an owner's place of work. A link is followed where it stays inside; a path whose real place is
 * outside, in `.git` or in a file with secrets is refused.
 */
export class DirectoryFiles implements WritableFiles {
  readonly #store: SnapshotStore;
  readonly #place: Place;

  public constructor(store: SnapshotStore, place: Place) {
    this.#store = store;
    this.#place = place;
  }

  public async list(given: string): Promise<Result<readonly Entry[], FilesFailure>> {
    const checked = checkedPath(given);
    if (!checked.ok) return checked;
    return attempt(given, async () => {
      const real = await this.#resolve(checked.value, given);
      if (!real.ok) return real;
      if (!(await lstat(real.value)).isDirectory()) return err(notADirectory(given));
      const found = await readdir(real.value, { withFileTypes: true });
      const entries = found
        .filter(
          (entry) =>
            entry.name !== '.git' && (entry.isFile() || entry.isDirectory() || entry.isSymbolicLink()),
        )
        .map((entry): Entry => ({
          path: checked.value === '' ? entry.name : `${checked.value}/${entry.name}`,
          kind: entry.isDirectory() ? 'directory' : entry.isSymbolicLink() ? 'symlink' : 'file',
        }));
      return ok(entries.sort((one, other) => (one.path < other.path ? -1 : 1)));
    });
  }

  public async read(
    given: string,
    range?: { readonly from: number; readonly to: number },
  ): Promise<Result<FileText, FilesFailure>> {
    const bytes = await this.#bytes(given);
    return bytes.ok ? textOf(given, bytes.value.content, range) : bytes;
  }

  public async search(pattern: string, given: string): Promise<Result<SearchResult, FilesFailure>> {
    const checked = checkedPath(given);
    if (!checked.ok) return checked;
    const options = ['-c', `core.excludesFile=${this.#place.rulesFile}`];
    return searchWithGit(
      this.#store,
      { commit: null, call: { workTree: this.#place }, options },
      pattern,
      checked.value,
    );
  }

  public async write(given: string, text: string): Promise<Result<void, FilesFailure>> {
    const checked = checkedFilePath(given);
    if (!checked.ok) return checked;
    if (checked.value === '') return err(notAFile(given));
    if (Buffer.byteLength(text) > MAX_FILE_BYTES) return err(tooLargeFile(given, Buffer.byteLength(text)));
    return attempt(given, async () => {
      const real = await this.#resolveForWriting(checked.value, given);
      return real.ok ? this.#replace(real.value, given, Buffer.from(text, 'utf8')) : real;
    });
  }

  public async edit(given: string, before: string, after: string): Promise<Result<void, FilesFailure>> {
    const bytes = await this.#bytes(given);
    if (!bytes.ok) return bytes;
    if (isBinary(bytes.value.content)) return err(binaryFile(given));
    // Byte by byte, so that what is not valid UTF-8 elsewhere in the file stays as it is.
    const old = Buffer.from(before, 'utf8');
    const first = old.length === 0 ? -1 : bytes.value.content.indexOf(old);
    if (first === -1) {
      return err({
        tag: 'no_match',
        message: `The text to replace is not in "${given}".`,
        next: 'Read the file and give the text exactly as it is there.',
      });
    }
    if (bytes.value.content.includes(old, first + 1)) {
      return err({
        tag: 'several_matches',
        message: `The text to replace is in "${given}" more than once.`,
        next: 'Give more of the lines around it.',
      });
    }
    const { content, real } = bytes.value;
    const changed = Buffer.concat([
      content.subarray(0, first),
      Buffer.from(after, 'utf8'),
      content.subarray(first + old.length),
    ]);
    return attempt(given, () => this.#replace(real, given, changed));
  }

  async #bytes(
    given: string,
  ): Promise<Result<{ readonly content: Buffer; readonly real: string }, FilesFailure>> {
    const checked = checkedFilePath(given);
    if (!checked.ok) return checked;
    return attempt(given, async () => {
      const real = await this.#resolve(checked.value, given);
      if (!real.ok) return real;
      // Not blocking, so that a pipe in place of a file can't hold the host up.
      const file = await open(real.value, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
      try {
        const facts = await file.stat();
        if (!facts.isFile()) return err(notAFile(given));
        if (facts.size > MAX_FILE_BYTES) return err(tooLargeFile(given, facts.size));
        return ok({ content: await file.readFile(), real: real.value });
      } finally {
        await file.close();
      }
    });
  }

  /** Where a path really is, through any links; refused outside. */
  async #resolve(checked: string, given: string): Promise<Result<string, FilesFailure>> {
    const root = await realpath(this.#place.directory);
    const real = await realpath(join(root, checked));
    const inside = relative(root, real).split(sep).join('/');
    if (inside === '..' || inside.startsWith('../') || isAbsolute(inside)) {
      return err({
        tag: 'outside',
        message: `"${given}" leads out of the work directory through a symbolic link.`,
        next: 'Work on files inside only.',
      });
    }
    const allowed = checkedPath(inside);
    if (!allowed.ok) return allowed;
    return isSecretShaped(inside) ? err(secretFile(given)) : ok(real);
  }

  /** Where to write: the file itself if it is there, else a place in its folder, which is made. */
  async #resolveForWriting(checked: string, given: string): Promise<Result<string, FilesFailure>> {
    const location = join(this.#place.directory, checked);
    const found = await ifThere(lstat(location));
    if (found !== null) {
      const real = await this.#resolve(checked, given);
      if (!real.ok) return real;
      return (await lstat(real.value)).isFile() ? real : err(notAFile(given));
    }
    const names = checked.split('/');
    const name = names.pop() ?? '';
    let folder = await this.#resolve('', given);
    let at = '';
    for (const next of names) {
      at = at === '' ? next : `${at}/${next}`;
      if ((await ifThere(lstat(join(this.#place.directory, at)))) === null && folder.ok) {
        await mkdir(join(folder.value, next));
      }
      folder = await this.#resolve(at, given);
      if (!folder.ok) return folder;
    }
    return folder.ok ? ok(join(folder.value, name)) : folder;
  }

  /** Puts new content in place at once, keeping the file's mode. */
  async #replace(real: string, given: string, content: Buffer): Promise<Result<void, FilesFailure>> {
    if (content.length > MAX_FILE_BYTES) return err(tooLargeFile(given, content.length));
    const old = await ifThere(lstat(real));
    const temporary = join(dirname(real), `.${process.pid}.${basename(real).slice(0, 100)}.tribune-new`);
    try {
      const file = await open(temporary, 'wx', NEW_FILE_MODE);
      try {
        await file.writeFile(content);
        if (old !== null) await file.chmod(old.mode & 0o7777);
      } finally {
        await file.close();
      }
      await rename(temporary, real);
    } finally {
      await rm(temporary, { force: true });
    }
    return ok(undefined);
  }
}

function notAFile(given: string): FilesFailure {
  return { tag: 'not_text', message: `"${given}" is not a file.`, next: 'Give the path of a file.' };
}

/** Turns what the file system refuses into a failure. */
async function attempt<T>(
  given: string,
  work: () => Promise<Result<T, FilesFailure>>,
): Promise<Result<T, FilesFailure>> {
  try {
    return await work();
  } catch (cause) {
    const code = systemErrorCode(cause);
    if (code === null) throw cause;
    if (code === 'ENOENT') return err(missingFile(given));
    if (code === 'ENOTDIR') return err(notADirectory(given));
    if (code === 'EROFS' || code === 'EACCES' || code === 'EPERM') {
      return err({
        tag: 'read_only',
        message: `No permission for "${given}": ${messageOf(cause)}.`,
        next: 'Leave it, or ask the person.',
      });
    }
    return err({
      tag: 'io',
      message: `"${given}" could not be used: ${messageOf(cause)}.`,
      next: 'Try again, or go on without it.',
    });
  }
}
