import type Docker from 'dockerode';
import { z } from 'zod';
import type { Submounts } from './profile.ts';

const versionAnswer = z.object({
  Version: z.string(),
  ApiVersion: z.string(),
  KernelVersion: z.string().nullish(),
  Components: z.array(z.object({ Name: z.string() })).nullish(),
});
const infoAnswer = z.object({ Runtimes: z.record(z.string(), z.unknown()).nullish() });

/** What a seal depends on of the engine. */
export interface EngineFacts {
  /** Such as `docker 20.10.24`. */
  readonly name: string;
  readonly submounts: Submounts;
}

/** What the container engine is. Throws what it answers. */
export async function engineFacts(docker: Docker): Promise<EngineFacts> {
  const { Version, ApiVersion, KernelVersion, Components } = versionAnswer.parse(await docker.version());
  const podman = (Components ?? []).some(({ Name }) => /podman/i.test(Name));
  return {
    name: `${podman ? 'podman' : 'docker'} ${Version.replace(/[+~].*$/, '')}`,
    submounts: submountsOf(ApiVersion, KernelVersion ?? ''),
  };
}

/** Read-only mounts are so all the way down from API 1.44 (Docker 25) on Linux 5.12 on, which has mount_setattr(2). */
export function submountsOf(apiVersion: string, kernelVersion: string): Submounts {
  return isAtLeast(apiVersion, 1, 44) && isAtLeast(kernelVersion, 5, 12) ? 'read_only' : 'left_out';
}

function isAtLeast(version: string, major: number, minor: number): boolean {
  const [, first = '0', second = '0'] = /^(\d+)\.(\d+)/.exec(version) ?? [];
  return Number(first) > major || (Number(first) === major && Number(second) >= minor);
}

/** The names of the engine's runtimes. Throws what it answers. */
export async function runtimesOf(docker: Docker): Promise<readonly string[]> {
  return Object.keys(infoAnswer.parse(await docker.info()).Runtimes ?? {});
}
