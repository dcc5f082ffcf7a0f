import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js';
import type { CallToolResult, ServerNotification, ServerRequest } from '@modelcontextprotocol/sdk/types.js';
import type { Clock } from '../../../shared/kernel/clock.ts';
import { messageOf } from '../../../shared/kernel/result.ts';
import type { GateTool } from '../../ports/turn-gate.ts';

/** How often a client that wants to know hears that a call goes on: well within the shortest waits of clients. */
const PROGRESS_MS = 15_000;

type Call = RequestHandlerExtra<ServerRequest, ServerNotification>;

/** What a turn's tools are served with. */
export interface ToolServerOptions {
  readonly tools: readonly GateTool[];
  readonly clock: Clock;
  /** Told of a tool that threw, which is a bug of ours. */
  readonly onDefect: (message: string) => void;
}

/** An MCP server that offers these tools. A call takes as long as it takes. */
export function createToolServer({ tools, clock, onDefect }: ToolServerOptions): McpServer {
  const server = new McpServer({ name: 'tribune', version: '1' });
  for (const tool of tools) {
    server.registerTool(
      tool.name,
      {
        description: tool.description,
        inputSchema: tool.input,
        annotations: { readOnlyHint: tool.readOnly },
      },
      async (input, call): Promise<CallToolResult> => {
        const silence = tellProgress(call, clock);
        try {
          const { ok, text } = await tool.call(input, call.signal);
          return { content: [{ type: 'text', text }], isError: !ok };
        } catch (thrown) {
          const message = `A defect in Tribune, in its tool "${tool.name}": ${messageOf(thrown)}`;
          onDefect(message);
          return { content: [{ type: 'text', text: message }], isError: true };
        } finally {
          silence();
        }
      },
    );
  }
  return server;
}

/** Tells a client that asked for it that its call goes on, until the returned function is called. */
function tellProgress(call: Call, clock: Clock): () => void {
  const progressToken = call._meta?.progressToken;
  if (progressToken === undefined) return () => undefined;
  let progress = 0;
  let cancel: () => void;
  const tell = (): void => {
    progress += 1;
    const params = { progressToken, progress, message: 'It goes on.' };
    // A client that has hung up is noticed where its connection closes.
    call.sendNotification({ method: 'notifications/progress', params }).catch(() => undefined);
    cancel = clock.after(PROGRESS_MS, tell);
  };
  cancel = clock.after(PROGRESS_MS, tell);
  return () => {
    cancel();
  };
}
