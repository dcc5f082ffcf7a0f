import { z } from 'zod';
import { parseJson } from '../../../shared/kernel/json.ts';
import type { CliDialect, CliProblem } from '../coding-cli/dialect.ts';
import { claudeCodeCommand, claudeCodeFiles, followUpLine } from './launch.ts';
import { permissionTool } from './permission.ts';
import { claudeCodeReader } from './reader.ts';

/**
 * Claude Code in print mode, with streaming JSON in and out.
 * Source: https://code.claude.com/docs/en/cli-reference and https://code.claude.com/docs/en/headless, and what
 * version 2.1.332 does.
 */
export const claudeCodeDialect: CliDialect = {
  engine: 'claude-code',
  program: 'claude',
  title: 'Claude Code',
  api: 'anthropic',
  defaultBaseUrl: 'https://api.anthropic.com',
  leastVersion: {
    version: [2, 1, 0],
    because: 'messages cannot be given to it while it works, or it does not say that it took them',
  },
  versionArgs: ['--version'],
  login: {
    args: ['auth', 'status', '--json'],
    read: readLogin,
    next: 'Run `claude auth login`, or set up an account with a key.',
  },
  install:
    'Install it with `npm install -g @anthropic-ai/claude-code`, or see https://code.claude.com/docs/en/setup.',
  lacks: null,
  files: claudeCodeFiles,
  command: claudeCodeCommand,
  followUp: followUpLine,
  permissionTool,
  reader: claudeCodeReader,
  isLostSession: ({ message }: CliProblem) => /^No conversation found with session ID/.test(message),
};

const status = z.object({ loggedIn: z.boolean() });

/** `claude auth status --json` looks at what is stored, and asks nobody. */
function readLogin(_exitCode: number | null, output: string): boolean | null {
  // A version without the question answers with words.
  return status.safeParse(parseJson(output)).data?.loggedIn ?? null;
}
