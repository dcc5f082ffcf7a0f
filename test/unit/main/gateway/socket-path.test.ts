import { describe, expect, it } from 'vitest';
import { socketPathFor } from '../../../../src/main/gateway/socket/socket-path.ts';

const linux = { platform: 'linux', userId: 1000 } as const;

describe('socketPathFor', () => {
  it('is in the data directory', () => {
    expect(socketPathFor('/home/ann/.local/share/tribune', linux)).toBe(
      '/home/ann/.local/share/tribune/host.sock',
    );
  });

  it('is a short one of the user’s own where that is too long for a socket', () => {
    const long = `/home/ann/${'deep/'.repeat(30)}`;
    const path = socketPathFor(long, linux);
    expect(path).toMatch(/^\/tmp\/tribune-1000-[0-9a-f]{16}\/host\.sock$/);
    expect(socketPathFor(`${long}x`, linux)).not.toBe(path);
    expect(socketPathFor(long, { ...linux, userId: 1001 })).not.toBe(path);
  });

  it('counts bytes, not characters, and leaves place for the closing zero on every platform', () => {
    for (let length = 1; length < 120; length += 1) {
      for (const letter of ['a', 'é', '日']) {
        expect(Buffer.byteLength(socketPathFor(`/${letter.repeat(length)}`, linux))).toBeLessThan(104);
      }
    }
  });

  it('is a named pipe on Windows, the same for either case of letters', () => {
    const windows = { platform: 'win32', userId: null } as const;
    const path = socketPathFor('C:\\Users\\Ann\\Tribune', windows);
    expect(path).toMatch(/^\\\\\.\\pipe\\tribune-[0-9a-f]{16}$/);
    expect(socketPathFor('c:\\users\\ann\\tribune', windows)).toBe(path);
  });
});
