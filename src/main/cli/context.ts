import type { Clock } from '../../shared/kernel/clock.ts';
import type { Result } from '../../shared/kernel/result.ts';
import type { Host } from '../app/host.ts';
import type { Person } from './person.ts';
import type { Screen } from './screen.ts';

/** What every command is given. */
export interface Context {
  readonly environment: NodeJS.ProcessEnv;
  /** Where relative paths on the command line start. */
  readonly directory: string;
  readonly dataDirectory: string;
  readonly clock: Clock;
  /** Waits, and keeps the process alive meanwhile. */
  readonly pause: (durationMs: number) => Promise<void>;
  readonly screen: Screen;
  readonly person: Person;
  /** Aborted by the first Ctrl-C. */
  readonly interruption: AbortSignal;
  readonly openHost: OpenHost;
}

/** Opens a host in this process; `work` says whether it takes up tasks, or only answers. */
export type OpenHost = (options: {
  readonly dataDirectory: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly work: boolean;
}) => Promise<Result<Host>>;
