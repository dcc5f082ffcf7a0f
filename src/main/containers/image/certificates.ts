import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { err, messageOf, ok } from '../../../shared/kernel/result.ts';
import type { Result } from '../../../shared/kernel/result.ts';
import { systemErrorCode } from '../../../shared/kernel/system-error.ts';
import type { ImageFailure } from './image-failure.ts';

/** The certificates in a PEM file, and nothing else that may be in it, such as a key. */
export function readCertificates(path: string): Result<string, ImageFailure> {
  try {
    const blocks = readFileSync(path, 'utf8').match(
      /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g,
    );
    if (blocks === null) return unusable(path, 'there is no certificate in PEM in it');
    return ok(blocks.map((block) => new X509Certificate(block).toString()).join('\n'));
  } catch (thrown) {
    if (systemErrorCode(thrown) === null && !isCertificateError(thrown)) throw thrown;
    return unusable(path, messageOf(thrown));
  }
}

/** OpenSSL's refusals; https://nodejs.org/api/errors.html#openssl-error-codes. */
function isCertificateError(thrown: unknown): boolean {
  return (
    thrown instanceof Error &&
    'code' in thrown &&
    typeof thrown.code === 'string' &&
    thrown.code.startsWith('ERR_OSSL')
  );
}

function unusable(path: string, why: string): Result<never, ImageFailure> {
  return err({
    tag: 'bad_certificate',
    message: `The certificates in ${path} cannot be used: ${why}.`,
    next: 'Name a file with one or more certificates, each between BEGIN CERTIFICATE and END CERTIFICATE.',
  });
}
