import { describe, expect, test } from 'vitest';
import { isSecretShaped } from '../../../../src/shared/kernel/secret-shapes.ts';

describe('the names of secrets', () => {
  test.each([
    '.env',
    '.env.local',
    '.env-prod',
    '.ENV_old',
    'sub/.ENV',
    'prod.env',
    'id_rsa',
    'deep/er/server.pem',
    'a.KEY',
    '.npmrc',
    'service-account-prod.json',
    'home/.ssh/config',
    '.aws/credentials',
  ])('%s is one', (path) => {
    expect(isSecretShaped(path)).toBe(true);
  });

  test.each([
    '.env.example',
    'sub/.env.sample',
    '.environment',
    'env',
    'environment.ts',
    'id_rsa.pub',
    'key.ts',
    'keyboard',
    'a.keys',
    '.ssh',
    'src/ssh/config',
    'a.pem/b.txt',
    '',
  ])('"%s" is none', (path) => {
    expect(isSecretShaped(path)).toBe(false);
  });
});
