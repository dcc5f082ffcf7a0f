import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import type { ImageBuildContext } from 'dockerode';
import { imageFiles } from './reviewer-image.ts';

/**
 * Lays out what is sent to the engine to build from, in a folder of its own: the image's files, the variables of the
 * base (a stage that starts from scratch has none), and the authorities to trust while things are fetched, which
 * are those that Node.js trusts and the person's own.
 */
export function layOutContext(
  folder: string,
  variables: readonly string[],
  certificate: string | null,
): ImageBuildContext & Disposable {
  const context = mkdtempSync(join(tmpdir(), 'tribune-image-'));
  for (const name of imageFiles) copyFileSync(join(folder, name), join(context, name));
  const dockerfile = readFileSync(join(folder, 'Dockerfile'), 'utf8');
  writeFileSync(join(context, 'Dockerfile'), dockerfile + variables.map(environmentLine).join(''));
  const authorities = [...rootCertificates, ...(certificate === null ? [] : [certificate])];
  writeFileSync(join(context, 'authorities.pem'), `${authorities.join('\n')}\n`);
  return {
    context,
    src: [...imageFiles, 'authorities.pem'],
    [Symbol.dispose]: () => {
      rmSync(context, { recursive: true, force: true });
    },
  };
}

/** `NAME=value` as an instruction; the programs of the image stay in front of the base's PATH. */
export function environmentLine(variable: string): string {
  const [name = '', ...rest] = variable.split('=');
  const value = rest.join('=').replace(/[\\"$]/g, (character) => `\\${character}`);
  return name === 'PATH' ? `ENV PATH="/opt/claude:/opt/codex/bin:${value}"\n` : `ENV ${name}="${value}"\n`;
}
