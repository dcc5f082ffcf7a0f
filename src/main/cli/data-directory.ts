import { posix, win32 } from 'node:path';

/** What the choice depends on. */
export interface DataDirectoryPlace {
  readonly platform: NodeJS.Platform;
  readonly environment: NodeJS.ProcessEnv;
  readonly home: string;
  /** Where a relative path starts. */
  readonly directory: string;
}

/** Where Tribune keeps its data: TRIBUNE_HOME, or the platform's place for an application's data. */
export function dataDirectoryFor(place: DataDirectoryPlace): string {
  const { platform, environment, home, directory } = place;
  const path = platform === 'win32' ? win32 : posix;
  const named = environment['TRIBUNE_HOME'];
  if (named !== undefined && named !== '') return path.resolve(directory, named);
  if (platform === 'win32') {
    return path.join(environment['LOCALAPPDATA'] ?? path.join(home, 'AppData', 'Local'), 'Tribune');
  }
  if (platform === 'darwin') return path.join(home, 'Library', 'Application Support', 'Tribune');
  const dataHome = environment['XDG_DATA_HOME'];
  // The XDG specification has relative paths ignored.
  const base =
    dataHome !== undefined && path.isAbsolute(dataHome) ? dataHome : path.join(home, '.local', 'share');
  return path.join(base, 'tribune');
}
