/** Has the reviewer image built where it is not there yet, and prints its name and tag; else says why and exits with 1. */
import { resolve } from 'node:path';
import type Docker from 'dockerode';
import { connectDocker } from '../../../src/main/containers/docker-connection.ts';
import { buildImage } from '../../../src/main/containers/image/build-image.ts';
import { readCertificates } from '../../../src/main/containers/image/certificates.ts';
import { reviewerImage } from '../../../src/main/containers/image/reviewer-image.ts';
import { describeFailure, ok } from '../../../src/shared/kernel/result.ts';
import { baseForTests } from './base-image.ts';
import { oneAtATime } from './one-at-a-time.ts';
import { readSurroundings } from './surroundings.ts';

const folder = resolve(import.meta.dirname, '../../../resources/reviewer');

const docker = await connectDocker(process.env);
if (!docker.ok) throw new Error(describeFailure(docker.failure));
const image = reviewerImage(folder);
if (!(await isThere(docker.value))) {
  await oneAtATime('reviewer-image', async () => {
    if (!(await isThere(docker.value))) await build(docker.value);
  });
}
console.log(image);

async function isThere(engine: Docker): Promise<boolean> {
  const found = await engine.listImages({ filters: { reference: [image] } });
  return found.length > 0;
}

async function build(engine: Docker): Promise<void> {
  const { registry, certificates } = readSurroundings(process.env);
  const certificate = certificates === null ? ok(null) : readCertificates(certificates);
  if (!certificate.ok) throw new Error(describeFailure(certificate.failure));
  let doing = '';
  const built = await buildImage(
    engine,
    {
      folder,
      base: await baseForTests(engine),
      mirror: null,
      registry,
      certificate: certificate.value,
      environment: process.env,
    },
    (progress) => {
      if (progress.doing !== doing) console.error(`${image}: ${progress.doing}`);
      ({ doing } = progress);
    },
    new AbortController().signal,
  );
  if (!built.ok) throw new Error(describeFailure(built.failure));
}
