import type Docker from 'dockerode';
import { err, ok } from '../../../shared/kernel/result.ts';
import type { Result } from '../../../shared/kernel/result.ts';
import { dockerFailure } from '../docker-failure.ts';
import { findBase } from './base-image.ts';
import { layOutContext } from './build-context.ts';
import { notBegun, progressAfter } from './build-progress.ts';
import type { BuildProgress } from './build-progress.ts';
import { engineMessages } from './engine-messages.ts';
import { stopped } from './image-failure.ts';
import type { ImageFailure } from './image-failure.ts';
import { reviewerImage } from './reviewer-image.ts';

/** What the image is built on where nobody has chosen. */
export const DEFAULT_BASE = 'debian:bookworm-slim';

/** What to build, and where to fetch it. */
export interface ImageOrder {
  /** The product's `resources/reviewer`. */
  readonly folder: string;
  readonly base: string;
  /** A Debian archive in place of the base's package sources; null for those. */
  readonly mirror: string | null;
  /** An npm registry; null for the public one. */
  readonly registry: string | null;
  /** Certificates in PEM of authorities to trust besides the usual ones; null for none. */
  readonly certificate: string | null;
  /** Its proxy variables hold for what is fetched. */
  readonly environment: NodeJS.ProcessEnv;
}

/** Docker's predefined build arguments: they reach the steps, and stay out of the image and its history. */
const proxyVariables = ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY'].flatMap((name) => [
  name,
  name.toLowerCase(),
]);

/** Builds the reviewer image; gives its name and tag. An abort of the signal ends the build in the engine too. */
export async function buildImage(
  docker: Docker,
  order: ImageOrder,
  told: (progress: BuildProgress) => void,
  signal: AbortSignal,
): Promise<Result<string, ImageFailure>> {
  const pulling = (): void => {
    told({ ...notBegun, doing: `Pulling ${order.base}` });
  };
  const base = await findBase(docker, order.base, pulling, signal);
  if (!base.ok) return base;
  const image = reviewerImage(order.folder);
  using context = layOutContext(order.folder, base.value.variables, order.certificate);
  let progress = notBegun;
  try {
    const response = await docker.buildImage(context, {
      t: image,
      rm: true,
      forcerm: true,
      buildargs: buildArguments(order),
      abortSignal: signal,
    });
    for await (const message of engineMessages(response)) {
      if (message.error !== undefined) {
        return err(signal.aborted ? stopped : failedStep(progress, message.error));
      }
      progress = progressAfter(progress, message);
      told(progress);
    }
    return signal.aborted ? err(stopped) : ok(image);
  } catch (thrown) {
    return err(signal.aborted ? stopped : dockerFailure(thrown, 'The image could not be built'));
  }
}

function buildArguments({ base, mirror, registry, environment }: ImageOrder): Record<string, string> {
  const proxies = proxyVariables.flatMap((name) => {
    const value = environment[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return {
    BASE: base,
    ...(mirror === null ? {} : { MIRROR: mirror }),
    ...(registry === null ? {} : { REGISTRY: registry }),
    ...Object.fromEntries(proxies),
  };
}

function failedStep(progress: BuildProgress, error: string): ImageFailure {
  // What the step wrote last may have no end.
  const { step, steps, doing, output } = progressAfter(progress, { stream: '\n' });
  const said = [...output, error].join('\n');
  if (/no space left on device|ENOSPC/i.test(said)) {
    return dockerFailure(new Error(said), 'The image could not be built');
  }
  const lines = output.length === 0 ? [error] : output;
  return {
    tag: 'build_failed',
    message: `The image could not be built: step ${step} of ${steps} failed (${doing}).\n${lines.map((line) => `  ${line}`).join('\n')}`,
    next:
      'If something could not be fetched, name a mirror with --mirror, a registry with --registry, or the ' +
      'certificate of your proxy with --ca; docs/containers.md has more. If it is something else, the lines above say what.',
  };
}
