import { defineConfig } from 'electron-vite';
export default defineConfig({ main: { build: { rollupOptions: { input: { tribune: 'src/main/cli/tribune.ts' } } } } });
