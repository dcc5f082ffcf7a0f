import type Docker from 'dockerode';
import { connectDocker } from '../../src/main/containers/docker-connection.ts';
import { describeFailure } from '../../src/shared/kernel/result.ts';
import { describeWhereThere, prepared } from './prepare/prepared.ts';

/** A real container engine, and the image that reviewers are sealed in, built on it. */
export interface Sealing {
  readonly docker: Docker;
  /** Name and tag. */
  readonly image: string;
}

const image = await prepared('reviewer-image.ts');
const docker = image.there ? await connectDocker(process.env) : null;

/**
 * Groups tests that need a container engine and the reviewer image; it is built at first need and kept from run to run.
 * Without either they are skipped, loudly; in CI they fail.
 */
export function describeWithReviewerImage(name: string, tests: (sealing: Sealing) => void): void {
  describeWhereThere(name, 'The reviewer image', image, (value) => {
    if (docker === null) return;
    if (!docker.ok) throw new Error(describeFailure(docker.failure));
    tests({ docker: docker.value, image: value });
  });
}
