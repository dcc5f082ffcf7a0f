/** Makes the pictures of the documents: `docs/pictures/demo.svg` from a real run of the demo. */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { terminalPicture } from './terminal-picture.ts';

const root = resolve(import.meta.dirname, '../..');
const ran = spawnSync(process.execPath, [join(root, 'scripts', 'demo', 'demo.ts')], {
  encoding: 'utf8',
  env: { ...process.env, NO_COLOR: '1' },
});
if (ran.status !== 0) throw new Error(`The demo failed:\n${ran.stdout}${ran.stderr}`);
const lines = ran.stdout
  .trimEnd()
  .split('\n')
  // What differs from run to run is left out of the picture.
  .map((line) =>
    line
      .replaceAll(/\/\S*\/tribune-demo-\w+/g, '/tmp/tribune-demo')
      .replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1')
      .replaceAll(/^\d\d:\d\d:\d\d/gm, '12:00:00'),
  );
writeFileSync(join(root, 'docs', 'pictures', 'demo.svg'), terminalPicture('npm run demo', lines));
