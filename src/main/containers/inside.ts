/** Where things are inside a container. */
export const inside = {
  /** The room's snapshots, each in its own folder. */
  snapshots: '/snapshots',
  /** A sealed owner's worktree. */
  worktree: '/worktree',
  /** The room's dependency folders, by number. */
  dependencies: '/dependencies',
  /** The directory of the gate's socket. */
  gate: '/gate',
  gateSocket: '/gate/gate.sock',
  /** In memory, for the agent's program alone. */
  home: '/home/agent',
  /** In memory, for the commands alone. */
  work: '/workbench',
  /** In it the copy of the snapshot. */
  copy: '/workbench/copy',
} as const;
