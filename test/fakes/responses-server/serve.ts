/**
 * Runs a scripted server as a process of its own: `node serve.ts <module> [port]`. The module's default export is
 * a `Script`. Prints the server's address as one line when it is ready, and ends on SIGTERM.
 */
import { pathToFileURL } from 'node:url';
import type { Script } from './script.ts';
import { startResponsesServer } from './server.ts';

const [, , modulePath, port = '0'] = process.argv;
if (modulePath === undefined) throw new Error('Usage: node serve.ts <module with a script> [port]');
const loaded = (await import(pathToFileURL(modulePath).href)) as { readonly default?: unknown };
if (typeof loaded.default !== 'function')
  throw new Error(`${modulePath} has no function as its default export.`);
const server = await startResponsesServer(loaded.default as Script, { port: Number(port) });
process.once('SIGTERM', () => void server.close());
console.log(server.url);
