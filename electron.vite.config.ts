import { resolve } from 'node:path';
import { defineConfig } from 'electron-vite';

/**
 * The host, the command line and the turn runner, bundled: reading a bundle takes a fraction of the memory and time that hundreds
 * of modules do. Native modules stay outside of it. The desktop shell, its preload and the renderer join here when they are built.
 */
export default defineConfig({
  main: {
    build: {
      target: 'node22',
      sourcemap: true,
      externalizeDeps: false,
      rolldownOptions: {
        input: {
          tribune: resolve(import.meta.dirname, 'src/main/cli/tribune.ts'),
          headless: resolve(import.meta.dirname, 'src/main/headless.ts'),
          'turn-runner': resolve(import.meta.dirname, 'src/main/terminals/turn-runner/turn-runner.ts'),
        },
        // What ssh2 brings to be faster and does without: an install that runs no scripts has not compiled it.
        external: ['better-sqlite3', 'node-pty', 'koffi', 'electron', 'cpu-features', /sshcrypto\.node$/],
      },
    },
  },
});
