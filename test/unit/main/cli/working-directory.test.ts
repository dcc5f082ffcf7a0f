import { expect, it } from 'vitest';
import { workingDirectory } from '../../../../src/main/cli/working-directory.ts';

it.each([
  ['the current one', {}, '/here'],
  ['the one where npm was called', { npm_lifecycle_event: 'tribune', INIT_CWD: '/there' }, '/there'],
  [
    'the current one in a script of another name',
    { npm_lifecycle_event: 'test', INIT_CWD: '/there' },
    '/here',
  ],
  ['the current one where npm does not say', { npm_lifecycle_event: 'tribune' }, '/here'],
])('is %s', (_name, environment, directory) => {
  expect(workingDirectory(environment, () => '/here')).toEqual({ ok: true, value: directory });
});

it('says what to do where the current one is gone', () => {
  const gone = workingDirectory({}, () => {
    throw new Error('ENOENT: uv_cwd');
  });
  expect(gone).toMatchObject({
    ok: false,
    failure: { tag: 'no_directory', next: expect.stringContaining('cd') as string },
  });
});
