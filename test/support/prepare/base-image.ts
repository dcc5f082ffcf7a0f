import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type Docker from 'dockerode';
import { DEFAULT_BASE } from '../../../src/main/containers/image/build-image.ts';
import { engineMessages } from '../../../src/main/containers/image/engine-messages.ts';
import { findBase } from '../../../src/main/containers/image/base-image.ts';

/** Imported where no registry can be reached. */
const IMPORTED_BASE = 'tribune-test-base:bookworm';

const SUITE = 'bookworm';

/** The base image that tests build on: an imported one that is there, the usual one, or one that is imported now. */
export async function baseForTests(docker: Docker): Promise<string> {
  if (await isThere(docker, IMPORTED_BASE)) return IMPORTED_BASE;
  const usual = await findBase(docker, DEFAULT_BASE, () => undefined, new AbortController().signal);
  if (usual.ok) return DEFAULT_BASE;
  console.error(`${usual.failure.message}\nA base is made with debootstrap instead.`);
  await importBase(docker);
  return IMPORTED_BASE;
}

async function isThere(docker: Docker, image: string): Promise<boolean> {
  const found = await docker.listImages({ filters: { reference: [image] } });
  return found.length > 0;
}

async function importBase(docker: Docker): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'tribune-base-'));
  try {
    // Its few hundred lines are part of the error where it fails, and else of no interest.
    const mirror = debianMirror();
    const options = ['--variant=minbase', SUITE, folder, ...(mirror === '' ? [] : [mirror])];
    execFileSync('debootstrap', options, { stdio: 'pipe' });
    const tar = spawn('tar', ['--create', '--one-file-system', '--directory', folder, '.'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [repo, tag] = IMPORTED_BASE.split(':');
    const imported = await docker.importImage(tar.stdout, { repo, tag });
    for await (const { error } of engineMessages(imported)) if (error !== undefined) throw new Error(error);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Where this machine gets its own packages from; empty for debootstrap's own choice. */
function debianMirror(): string {
  const uris = execFileSync(
    'apt-get',
    [
      'indextargets',
      '--format',
      '$(REPO_URI)',
      'Created-By: Packages',
      `Codename: ${SUITE}`,
      'Component: main',
    ],
    { encoding: 'utf8' },
  );
  return /^https?:\/\/\S+/m.exec(uris)?.[0] ?? '';
}
