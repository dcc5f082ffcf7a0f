import { err, ok } from '../../../shared/kernel/result.ts';
import type { Result } from '../../../shared/kernel/result.ts';
import { isSecretShaped } from '../../../shared/kernel/secret-shapes.ts';
import type { FilesFailure, SearchResult } from '../../ports/workspace.ts';
import { textOfPath } from '../git/byte-path.ts';
import type { BytePath } from '../git/byte-path.ts';
import type { SnapshotStore, StoreCall } from '../git/snapshot-store.ts';

/** Matches that one search gives. */
const MAX_MATCHES = 200;

/** Characters of a matching line that are given. */
const MAX_MATCH_CHARACTERS = 400;

/** A pattern that backtracks without end is stopped after this long. */
const SEARCH_TIMEOUT_MS = 10_000;

const MAX_SEARCH_BYTES = 4 * 1024 * 1024;

/** Where to search: a commit, or the files of a work tree. */
export interface SearchPlace {
  readonly commit: string | null;
  readonly call: StoreCall;
  readonly options: readonly string[];
}

/** Searches with git's Perl patterns, or with extended ones where git was built without. Links are not followed. */
export async function searchWithGit(
  store: SnapshotStore,
  place: SearchPlace,
  pattern: string,
  path: string,
): Promise<Result<SearchResult, FilesFailure>> {
  const grep = (dialect: string): ReturnType<SnapshotStore['run']> =>
    store.run(
      [
        ...place.options,
        'grep',
        ...(place.commit === null ? ['--untracked'] : []),
        ...['--line-number', '-z', '-I', '--no-color', '--no-recurse-submodules', dialect, '-e', pattern],
        ...(place.commit === null ? [] : [place.commit]),
        ...(path === '' ? [] : ['--', path]),
      ],
      {
        ...place.call,
        environment: { GIT_LITERAL_PATHSPECS: '1' },
        exits: [0, 1, 128],
        maxBytes: MAX_SEARCH_BYTES,
        timeoutMs: SEARCH_TIMEOUT_MS,
      },
    );
  let answer = await grep('--perl-regexp');
  if (answer.ok && answer.value.errors.includes('cannot use Perl-compatible regexes'))
    answer = await grep('--extended-regexp');
  if (!answer.ok) {
    return err({
      tag: 'bad_pattern',
      message: `Searching for "${pattern}" did not end well: ${answer.failure.message}`,
      next: 'Try a simpler pattern, or a smaller folder.',
    });
  }
  if (answer.value.exit === 128) {
    return err({
      tag: 'bad_pattern',
      message: `"${pattern}" is no pattern that can be searched for: ${answer.value.errors.trim()}`,
      next: 'Escape what is meant literally with "\\".',
    });
  }
  return ok(parseMatches(answer.value.output, place.commit, answer.value.truncated));
}

/** Reads `path NUL line NUL text` lines; a path may hold a line break, the number between can't. */
function parseMatches(output: Buffer, commit: string | null, cut: boolean): SearchResult {
  const matches: SearchResult['matches'][number][] = [];
  const pieces = output.toString('latin1').matchAll(/([^\0]+)\0(\d+)\0([^\n]*)(?:\n|$)/g);
  for (const [, place = '', line, text = ''] of pieces) {
    const path = (commit === null ? place : place.slice(commit.length + 1)) as BytePath;
    if (isSecretShaped(path)) continue;
    if (matches.length === MAX_MATCHES) return { matches, truncated: true };
    matches.push({
      path: textOfPath(path),
      line: Number(line),
      text: Buffer.from(text, 'latin1').toString('utf8').slice(0, MAX_MATCH_CHARACTERS),
    });
  }
  return { matches, truncated: cut };
}
