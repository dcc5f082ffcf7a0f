import { SUBMIT_VERDICT } from '../../../shared/vocabulary/words.ts';
import type { CliCommand, CliStart } from '../coding-cli/dialect.ts';
import { permissionTool } from './permission.ts';

/** Our MCP server's name, and so the beginning of what the agent calls our tools. */
const SERVER = 'tribune';
/** Before the name of a tool of ours, as the program knows it. */
export const TOOL_PREFIX = `mcp__${SERVER}__`;

const HOUR_MS = 3_600_000;
/** How long it waits for a tool of ours: a person may be asked, and answers when they are there. */
const TOOL_WAIT_MS = 7 * 24 * HOUR_MS;
/** How long it waits for our MCP server to answer at the start. */
const SERVER_WAIT_MS = 30_000;
/** The tribunal tries a turn again by its own schedule; here only a short hiccup is bridged. */
const CALL_RETRIES = 2;

/** All that whoever judges may use of its own: reading. Commands go through our tool `run`. */
const READING_TOOLS = 'Read,Grep,Glob';

const files = { system: 'system.md', mcp: 'mcp.json', settings: 'settings.json' } as const;

/** What is laid down for it: the role, the way to our tools, and what goes over a person's own settings. */
export function claudeCodeFiles(start: CliStart): Readonly<Record<string, string>> {
  return {
    [files.system]: systemText(start),
    [files.mcp]: JSON.stringify({
      mcpServers: {
        [SERVER]: {
          type: 'http',
          url: `${start.gate.address}/mcp`,
          headers: { Authorization: `Bearer ${start.gate.token}` },
        },
      },
    }),
    // Over these, a person's own settings have no say: theirs would win over plain variables.
    [files.settings]: JSON.stringify({ env: environmentOf(start) }),
  };
}

/** The start of Claude Code for one attempt. See the sources in dialect.ts. */
export function claudeCodeCommand(start: CliStart, paths: Readonly<Record<string, string>>): CliCommand {
  const { session, model, input, tools } = start;
  return {
    args: [
      '--print',
      ...['--input-format', 'stream-json', '--output-format', 'stream-json', '--verbose'],
      '--replay-user-messages',
      // Only these tell what each call used; a gate counts for itself.
      ...(start.models.through === 'login' ? ['--include-partial-messages'] : []),
      ...(session.kind === 'resume' ? ['--resume', session.id] : ['--session-id', session.id]),
      ...(model === null ? [] : ['--model', model]),
      ...['--append-system-prompt-file', pathOf(paths, files.system)],
      // The role's instructions as they are now, in a session that began with others too.
      ...['--system-prompt-snapshot', 'off'],
      ...['--settings', pathOf(paths, files.settings)],
      ...['--mcp-config', pathOf(paths, files.mcp), '--strict-mcp-config'],
      ...permissionArgs(start),
      ...['--allowed-tools', tools.map((name) => TOOL_PREFIX + name).join(',')],
    ],
    environment: {
      ...quiet,
      ...(start.home === null ? {} : { CLAUDE_CONFIG_DIR: `${start.home}/claude` }),
      // As root it allows everything only where it is told that it may: the room's setting tells it.
      ...(start.role === 'owner' && start.permissions === 'everything' ? { IS_SANDBOX: '1' } : {}),
    },
    input: followUpLine(input.id, input.text),
  };
}

/** A message for its standard input; its echo on standard output carries the id. */
export function followUpLine(id: string, text: string): string {
  const message = { role: 'user', content: [{ type: 'text', text }] };
  return `${JSON.stringify({ type: 'user', message, uuid: id })}\n`;
}

/**
 * Whoever judges has tools that read, in the work's directory alone; nothing in the work configures it: no settings,
 * no hooks, no instruction files. An owner has all tools.
 */
function permissionArgs({ role, sealed, permissions }: CliStart): readonly string[] {
  if (role !== 'owner') {
    return [
      '--setting-sources',
      'user',
      '--restricted',
      '--disable-slash-commands',
      '--tools',
      READING_TOOLS,
    ];
  }
  return [
    ...(sealed ? ['--setting-sources', 'user'] : []),
    ...(permissions === 'ask'
      ? ['--permission-prompt-tool', TOOL_PREFIX + permissionTool.name]
      : ['--permission-mode', 'bypassPermissions']),
  ];
}

/** It calls nobody but its model, and does not change itself. */
const quiet = {
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  DISABLE_AUTOUPDATER: '1',
} as const;

function environmentOf({ role, sealed, gate, models }: CliStart): Readonly<Record<string, string>> {
  const reached =
    models.through === 'gate'
      ? { ANTHROPIC_BASE_URL: `${gate.address}/anthropic`, ANTHROPIC_API_KEY: gate.token }
      : models.baseUrl === null
        ? {}
        : { ANTHROPIC_BASE_URL: models.baseUrl };
  return {
    ...quiet,
    ...reached,
    CLAUDE_CODE_MAX_RETRIES: String(CALL_RETRIES),
    MCP_TIMEOUT: String(SERVER_WAIT_MS),
    MCP_TOOL_TIMEOUT: String(TOOL_WAIT_MS),
    // Our tools have to be in its first request, not to be searched for.
    ENABLE_TOOL_SEARCH: 'false',
    // What one task taught it is no business of the next one's reviewer.
    ...(sealed || role !== 'owner' ? { CLAUDE_CODE_DISABLE_AUTO_MEMORY: '1' } : {}),
  };
}

function systemText({ system, tools }: CliStart): string {
  const named = tools
    .filter((name) => name !== permissionTool.name)
    .map((name) => `${name} is ${TOOL_PREFIX}${name}`);
  return `${system}\n\n# Names of your tools\n\nHere, ${named.join(', ')}. End your turn with ${TOOL_PREFIX}${SUBMIT_VERDICT}.\n`;
}

function pathOf(paths: Readonly<Record<string, string>>, name: string): string {
  const path = paths[name];
  if (path === undefined) throw new Error(`${name} was not laid down.`);
  return path;
}
