import type Docker from 'dockerode';
import { removeContainer } from './room-container.ts';

/** Labels of all that is made in the container engine, so that everything has an owner. */
export const labels = {
  install: 'dev.tribune.install',
  boot: 'dev.tribune.boot',
  room: 'dev.tribune.room',
} as const;

/**
 * Removes what earlier boots of this install have left in the engine, in any state: a container that was made and
 * never started too. Gives how many; throws what the engine answers.
 */
export async function removeLeftoversOf(docker: Docker, installId: string, bootId: string): Promise<number> {
  const label = [`${labels.install}=${installId}`];
  const all = await docker.listContainers({ all: true, filters: { label } });
  // The engine's filter is not trusted with what is not ours.
  const left = all.filter(
    ({ Labels }) => Labels[labels.install] === installId && Labels[labels.boot] !== bootId,
  );
  await Promise.all(left.map(({ Id }) => removeContainer(docker.getContainer(Id))));
  return left.length;
}
