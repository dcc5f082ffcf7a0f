/** A user inside a container, by number: names in an image may mean anybody. */
export interface InsideUser {
  readonly uid: number;
  readonly gid: number;
}

/** The users that the image makes. */
const FIRST: InsideUser = { uid: 1000, gid: 1000 };
const SECOND: InsideUser = { uid: 1001, gid: 1001 };

/** Runs the container's first process, which nobody else in it can then signal. It is `nobody` everywhere. */
export const keeper: InsideUser = { uid: 65_534, gid: 65_534 };

/**
 * Who runs an agent's program: the person's own number, so that it may use the gate's socket and a worktree, but
 * never root's.
 */
export function agentUser(host: InsideUser | null): InsideUser {
  return host === null || host.uid === 0 ? FIRST : host;
}

/** Who runs commands: another one than the agent's program. */
export function testerUser(agent: InsideUser): InsideUser {
  return agent.uid === SECOND.uid ? FIRST : SECOND;
}

/** This process's own user; null on systems that have no such numbers. */
export function ownUser(): InsideUser | null {
  const [uid, gid] = [process.getuid?.(), process.getgid?.()];
  return uid === undefined || gid === undefined ? null : { uid, gid };
}

/** As the engine takes it. Without the group, it would be root's. */
export function userText({ uid, gid }: InsideUser): string {
  return `${uid}:${gid}`;
}
