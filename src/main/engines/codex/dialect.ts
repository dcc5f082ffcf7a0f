import type { CliDialect, CliProblem } from '../coding-cli/dialect.ts';
import { codexCommand } from './launch.ts';
import { codexReader } from './reader.ts';

/**
 * Codex as `codex exec --json`. Source: https://developers.openai.com/codex/noninteractive and
 * https://developers.openai.com/codex/config-reference, and what version 0.171.0 does.
 */
export const codexDialect: CliDialect = {
  engine: 'codex',
  program: 'codex',
  title: 'Codex',
  api: 'openai',
  defaultBaseUrl: 'https://api.openai.com/v1',
  leastVersion: {
    version: [0, 171, 0],
    because: 'with older ones it is not known that a reviewer runs no commands beside its key',
  },
  versionArgs: ['--version'],
  login: {
    args: ['login', 'status'],
    read: readLogin,
    next: 'Run `codex login`, or set up an account with a key.',
  },
  install: 'Install it with `npm install -g @openai/codex`, or see https://developers.openai.com/codex/cli.',
  lacks:
    'It cannot ask a person for leave: an owner who may not do everything works in its sandbox, without a network. ' +
    'As reviewer or arbiter it has no shell, and runs commands through Tribune alone.',
  files: () => ({}),
  command: codexCommand,
  followUp: null,
  permissionTool: null,
  reader: codexReader,
  isLostSession: ({ message }: CliProblem) => /\bthread\/resume failed\b/.test(message),
};

/** It looks at what is stored, and asks nobody. */
function readLogin(exitCode: number | null, output: string): boolean | null {
  if (/^Not logged in\b/m.test(output)) return false;
  return exitCode === 0 ? true : null;
}
