import type Docker from 'dockerode';
import { z } from 'zod';
import { err, messageOf, ok } from '../../../shared/kernel/result.ts';
import type { Result } from '../../../shared/kernel/result.ts';
import { dockerFailure } from '../docker-failure.ts';
import { engineMessages } from './engine-messages.ts';
import { stopped } from './image-failure.ts';
import type { ImageFailure } from './image-failure.ts';

/** What is built on. */
export interface BaseImage {
  /** Its environment variables, `NAME=value`. */
  readonly variables: readonly string[];
}

/** The part of `GET /images/{name}/json` that is needed; an imported image has no variables. */
const inspectionSchema = z.object({
  Config: z.object({ Env: z.array(z.string()).nullish() }).nullish(),
});

/** Finds the base image in the engine, or has the engine pull it, which is told before it begins. */
export async function findBase(
  docker: Docker,
  base: string,
  pulling: () => void,
  signal: AbortSignal,
): Promise<Result<BaseImage, ImageFailure>> {
  const there = await inspect(docker, base);
  if (!there.ok) return there;
  if (there.value !== null) return ok(there.value);
  pulling();
  const refusal = await pull(docker, base, signal);
  if (signal.aborted) return err(stopped);
  if (refusal !== null) return err(missing(base, refusal));
  const pulled = await inspect(docker, base);
  if (!pulled.ok) return pulled;
  return pulled.value === null ? err(missing(base, 'it is not there after a pull')) : ok(pulled.value);
}

async function inspect(docker: Docker, base: string): Promise<Result<BaseImage | null, ImageFailure>> {
  try {
    const { Config } = inspectionSchema.parse(await docker.getImage(base).inspect());
    return ok({ variables: Config?.Env ?? [] });
  } catch (thrown) {
    if (isNotFound(thrown)) return ok(null);
    return err(dockerFailure(thrown, `The base image ${base} could not be looked up`));
  }
}

/** Gives why it could not be pulled; null where it could. */
async function pull(docker: Docker, base: string, abortSignal: AbortSignal): Promise<string | null> {
  try {
    for await (const { error } of engineMessages(await docker.pull(tagged(base), { abortSignal }))) {
      if (error !== undefined) return error;
    }
    return null;
  } catch (thrown) {
    return messageOf(thrown).trim();
  }
}

/** Without a tag, all of them would be pulled. */
function tagged(base: string): string {
  return /[:@][^/]*$/.test(base) ? base : `${base}:latest`;
}

function missing(base: string, why: string): ImageFailure {
  return {
    tag: 'base_missing',
    message: `The base image ${base} is not there and cannot be pulled: ${why}`,
    next: 'Name one that is there with --base, or import one: docs/containers.md says how, under "No registry".',
  };
}

function isNotFound(thrown: unknown): boolean {
  return thrown instanceof Error && 'statusCode' in thrown && thrown.statusCode === 404;
}
