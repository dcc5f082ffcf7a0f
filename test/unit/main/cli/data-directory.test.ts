import { expect, it } from 'vitest';
import { dataDirectoryFor } from '../../../../src/main/cli/data-directory.ts';

const unix = { platform: 'linux', environment: {}, home: '/home/ann', directory: '/place' } as const;
const windows = {
  platform: 'win32',
  environment: {},
  home: 'C:\\Users\\Ann',
  directory: 'C:\\work',
} as const;

it.each([
  [unix, '/home/ann/.local/share/tribune'],
  [{ ...unix, environment: { XDG_DATA_HOME: '/data' } }, '/data/tribune'],
  [{ ...unix, environment: { XDG_DATA_HOME: 'relative' } }, '/home/ann/.local/share/tribune'],
  [{ ...unix, environment: { TRIBUNE_HOME: 'mine' } }, '/place/mine'],
  [{ ...unix, environment: { TRIBUNE_HOME: '' } }, '/home/ann/.local/share/tribune'],
  [{ ...unix, platform: 'darwin' as const }, '/home/ann/Library/Application Support/Tribune'],
  [windows, 'C:\\Users\\Ann\\AppData\\Local\\Tribune'],
  [{ ...windows, environment: { LOCALAPPDATA: 'D:\\Local' } }, 'D:\\Local\\Tribune'],
])('%j keeps its data in %s', (place, directory) => {
  expect(dataDirectoryFor(place)).toBe(directory);
});
