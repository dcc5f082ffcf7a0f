import { describe, expect, it } from 'vitest';
import { dockerFailure } from '../../../../src/main/containers/docker-failure.ts';

describe('what a call to the container engine failed with', () => {
  it('is no space, in whatever words the engine has for it', () => {
    const said = '(HTTP code 500) server error - write /var/lib/docker/tmp/x: no space left on device ';
    expect(dockerFailure(new Error(said), 'It failed')).toMatchObject({ tag: 'no_space' });
  });

  it.each(['ECONNREFUSED', 'ENOENT', 'EACCES', 'ECONNRESET'])(
    'is an engine that does not answer: %s',
    (code) => {
      const thrown = Object.assign(new Error(`connect ${code} /some.sock`), { code });
      expect(dockerFailure(thrown, 'It failed')).toMatchObject({
        tag: 'no_engine',
        message: `It failed: the container engine does not answer (connect ${code} /some.sock).`,
      });
    },
  );

  it('is else what the engine says', () => {
    expect(dockerFailure(new Error('(HTTP code 409) conflict - name in use '), 'It failed')).toMatchObject({
      tag: 'start_failed',
      message: 'It failed: (HTTP code 409) conflict - name in use',
    });
  });
});
