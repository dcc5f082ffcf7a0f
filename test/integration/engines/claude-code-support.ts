import { onTestFinished } from 'vitest';
import { claudeCodeDialect } from '../../../src/main/engines/claude-code/dialect.ts';
import { calls, type Script } from '../../fakes/messages-server/script.ts';
import { startMessagesServer, type MessagesServer } from '../../fakes/messages-server/server.ts';
import { cliBench, KEY, type CliBench } from './cli-support.ts';
import { verdict } from './support.ts';

/** What Claude Code calls the tool that ends a turn. */
export const VERDICT = 'mcp__tribune__submit_verdict';

/** The verdict that ends a turn. */
export const submits = calls(VERDICT, verdict());

/** Makes benches for this program, on a server that answers by a script. */
export function benchOf(
  program: string,
): (script: Script) => Promise<CliBench & { readonly server: MessagesServer }> {
  return async (script) => {
    const server = await startMessagesServer(script, { apiKey: KEY });
    onTestFinished(() => server.close());
    const bench = await cliBench(claudeCodeDialect, {
      engineName: 'claude-code',
      baseUrl: server.url,
      program,
    });
    return { ...bench, server };
  };
}
