/**
 * Names under which people keep secrets. Untracked files of these shapes stay out of snapshots, and no agent may
 * read them through our tools. `*` stands for any run of characters; case does not matter.
 */
const secretNames = [
  '.env',
  '.env.*',
  '.env-*',
  '.env_*',
  '*.env',
  '.envrc',
  '.netrc',
  '_netrc',
  '.npmrc',
  '.pypirc',
  '.pgpass',
  '.htpasswd',
  '.dockercfg',
  '.git-credentials',
  'credentials.json',
  'service-account*.json',
  'id_rsa',
  'id_dsa',
  'id_ecdsa',
  'id_ed25519',
  '*.pem',
  '*.key',
  '*.ppk',
  '*.p12',
  '*.pfx',
  '*.jks',
  '*.keystore',
  '*.kdbx',
] as const;

/** Folders in which every file counts as a secret. */
const secretFolders = ['.ssh', '.gnupg', '.aws'] as const;

/** Endings of files that show what a secret would look like; they are normal files. */
const exampleEndings = ['.example', '.sample', '.template', '.dist'] as const;

/** Whether a path, with '/' between names, is shaped like a secret. */
export function isSecretShaped(path: string): boolean {
  const names = path.toLowerCase().split('/');
  const last = names.pop() ?? '';
  if (names.some((name) => folders.has(name))) return true;
  return !exampleEndings.some((ending) => last.endsWith(ending)) && shape.test(last);
}

const folders: ReadonlySet<string> = new Set(secretFolders);
/** One expression for all of them, since whole projects are matched name by name. */
const shape = new RegExp(
  `^(?:${secretNames.map((name) => name.replaceAll('.', '\\.').replaceAll('*', '.*')).join('|')})$`,
  's',
);
