import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { rootCertificates } from 'node:tls';
import { describe, expect, it } from 'vitest';
import { environmentLine, layOutContext } from '../../../../src/main/containers/image/build-context.ts';
import { readCertificates } from '../../../../src/main/containers/image/certificates.ts';
import { reviewerImage } from '../../../../src/main/containers/image/reviewer-image.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const folder = resolve(import.meta.dirname, '../../../../resources/reviewer');
const [certificate = ''] = rootCertificates;

describe('what is sent to be built from', () => {
  it('is laid out with the authorities to trust, and is gone afterwards', () => {
    let place: string;
    {
      using context = layOutContext(folder, ['LANG=C.UTF-8'], certificate);
      place = context.context;
      const authorities = readFileSync(join(place, 'authorities.pem'), 'utf8');
      expect(authorities.split('BEGIN CERTIFICATE')).toHaveLength(rootCertificates.length + 2);
      expect(readFileSync(join(place, 'Dockerfile'), 'utf8')).toMatch(/\nENV LANG="C\.UTF-8"\n$/);
      expect([...context.src].sort()).toEqual([
        'Dockerfile',
        'authorities.pem',
        'package-lock.json',
        'package.json',
      ]);
    }
    expect(existsSync(place)).toBe(false);
  });

  it("has the base's variables as they are, and the agents in front of its PATH", () => {
    expect(environmentLine('A=b=c')).toBe('ENV A="b=c"\n');
    expect(environmentLine('A=$b "c" \\d')).toBe('ENV A="\\$b \\"c\\" \\\\d"\n');
    expect(environmentLine('PATH=/go/bin:/bin')).toBe('ENV PATH="/opt/claude:/opt/codex/bin:/go/bin:/bin"\n');
  });
});

describe("the image's name", () => {
  it('is the same for the same content, and another for other content', () => {
    const copy = temporaryFolder('reviewer');
    for (const name of ['Dockerfile', 'package.json', 'package-lock.json']) {
      writeFileSync(join(copy, name), readFileSync(join(folder, name)));
    }
    expect(reviewerImage(copy)).toBe(reviewerImage(folder));
    expect(reviewerImage(copy)).toMatch(/^tribune-reviewer:[0-9a-f]{12}$/);
    writeFileSync(join(copy, 'beside.txt'), '');
    expect(reviewerImage(copy)).toBe(reviewerImage(folder));
    writeFileSync(join(copy, 'Dockerfile'), 'FROM scratch\n');
    expect(reviewerImage(copy)).not.toBe(reviewerImage(folder));
  });
});

describe('certificates that a person names', () => {
  it('are taken without anything else in the file', () => {
    const path = join(temporaryFolder('certificates'), 'all.pem');
    writeFileSync(
      path,
      `a note\n-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n${certificate}\n${certificate}\n`,
    );
    const read = readCertificates(path);
    expect(read.ok && read.value.match(/BEGIN \w+/g)).toEqual(['BEGIN CERTIFICATE', 'BEGIN CERTIFICATE']);
    expect(read.ok && read.value).not.toContain('AAAA');
  });

  it.each([
    ['nothing in PEM', 'nothing'],
    ['a broken certificate', '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n'],
    ['a missing file', null],
  ])('are refused with the reason: %s', (_, content) => {
    const path = join(temporaryFolder('certificates'), 'bad.pem');
    if (content !== null) writeFileSync(path, content);
    expect(readCertificates(path)).toMatchObject({
      ok: false,
      failure: { tag: 'bad_certificate', message: expect.stringContaining(path) as string },
    });
  });
});
