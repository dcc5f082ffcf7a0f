import { join } from 'node:path';
import { ok } from '../../shared/kernel/result.ts';
import type { Result } from '../../shared/kernel/result.ts';
import { connectDocker } from '../containers/docker-connection.ts';
import { buildImage, DEFAULT_BASE } from '../containers/image/build-image.ts';
import type { BuildProgress } from '../containers/image/build-progress.ts';
import { readCertificates } from '../containers/image/certificates.ts';
import { describeImage } from '../containers/image/describe-image.ts';
import type { ImageDescription } from '../containers/image/describe-image.ts';
import type { ImageFailure } from '../containers/image/image-failure.ts';
import { findResources } from './resources.ts';

export type { BuildProgress, ImageDescription };

/** What a person may choose; null for what is usual. */
export interface ImageWishes {
  readonly base: string | null;
  readonly mirror: string | null;
  readonly registry: string | null;
  /** Path of a file with certificates to trust. */
  readonly certificates: string | null;
  /** Names the engine, and proxies. */
  readonly environment: NodeJS.ProcessEnv;
}

/** Builds the image that this version of Tribune seals reviewers in, and looks at what came of it. Needs no host. */
export async function makeReviewerImage(
  wishes: ImageWishes,
  told: (progress: BuildProgress) => void,
  signal: AbortSignal,
): Promise<Result<ImageDescription, ImageFailure>> {
  const { base, mirror, registry, environment } = wishes;
  const certificates = wishes.certificates === null ? ok(null) : readCertificates(wishes.certificates);
  if (!certificates.ok) return certificates;
  const docker = await connectDocker(environment);
  if (!docker.ok) return docker;
  const order = {
    folder: join(findResources(), 'reviewer'),
    base: base ?? DEFAULT_BASE,
    mirror,
    registry,
    certificate: certificates.value,
    environment,
  };
  const image = await buildImage(docker.value, order, told, signal);
  return image.ok ? describeImage(docker.value, image.value) : image;
}
