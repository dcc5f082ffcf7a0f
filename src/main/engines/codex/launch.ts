import { SUBMIT_VERDICT } from '../../../shared/vocabulary/words.ts';
import type { CliCommand, CliStart } from '../coding-cli/dialect.ts';
import { limits } from '../coding-cli/limits.ts';
import { sealedSettings } from './sealed-settings.ts';
import { toml, type TomlValue } from './toml.ts';

/** Our MCP server's name, our provider's, and so the beginning of what the agent calls our tools. */
export const SERVER = 'tribune';
/** Before the name of a tool of ours, as the program knows it. */
export const TOOL_PREFIX = `mcp__${SERVER}__`;

/** Codex takes tokens by the name of a variable, so that neither its arguments nor a file of its own holds them. */
const TOKEN_VARIABLE = 'TRIBUNE_GATE_TOKEN';

const MS_PER_SECOND = 1_000;
/** How long it waits for our MCP server to answer at the start. */
const SERVER_WAIT_SECONDS = 30;
/** How long it waits for a tool of ours: the longest command, and some time for what is around it. */
const TOOL_WAIT_SECONDS = limits.longestCommandMs / MS_PER_SECOND + 60;
/** The tribunal tries a turn again by its own schedule; here only a short hiccup is bridged. */
const CALL_RETRIES = 2;

/** All of Codex's configuration that a turn depends on; it goes over what its own files say. */
type Settings = Readonly<Record<string, TomlValue>>;

/** The start of Codex for one attempt. See the sources in dialect.ts. */
export function codexCommand(start: CliStart): CliCommand {
  const { role, sealed, model, session, home, input, gate, directory } = start;
  const judges = role !== 'owner';
  const settings: Settings = {
    ...modelSettings(start),
    [`mcp_servers.${SERVER}`]: toolServer(start),
    developer_instructions: instructions(start),
    check_for_update_on_startup: false,
    // Codex would wait for a network for ever, in silence.
    'features.unbounded_connection_retries': false,
    // Its commands have no use for what is ours.
    [`shell_environment_policy.set.${TOKEN_VARIABLE}`]: '',
    ...(sealed ? { 'analytics.enabled': false } : {}),
    ...(judges ? sealedSettings : {}),
  };
  return {
    args: [
      'exec',
      '--json',
      '--skip-git-repo-check',
      // Codex reads instructions, skills and settings where it works. Whoever judges has no shell and works by our
      // tools alone, so it is put where nothing of the work is.
      ...['--cd', judges && home !== null ? home : directory],
      ...(sealed ? ['--ignore-user-config', '--ignore-rules'] : []),
      // Where a setting that seals is not known any more, it must not start.
      ...(judges ? ['--strict-config'] : []),
      ...ownerArgs(start),
      ...Object.entries(settings).flatMap(([key, value]) => ['--config', `${key}=${toml(value)}`]),
      ...(model === null ? [] : ['--model', model]),
      ...(session.kind === 'resume' ? ['resume', session.id] : []),
      '-',
    ],
    environment: {
      [TOKEN_VARIABLE]: gate.token,
      // The last line of its error output is then the error, whatever the person has set for programs of their own.
      RUST_LIB_BACKTRACE: '0',
      ...(home === null ? {} : { CODEX_HOME: home }),
    },
    input: input.text,
  };
}

/**
 * `exec` cannot ask a person anything. An owner who may not do everything works in Codex's own sandbox: it writes in
 * the work alone and has no network. In a container that sandbox cannot be built, and the container is one already.
 */
function ownerArgs({ role, sealed, permissions }: CliStart): readonly string[] {
  if (role !== 'owner') return [];
  return sealed || permissions === 'everything'
    ? ['--dangerously-bypass-approvals-and-sandbox']
    : ['--config', `approval_policy=${toml('never')}`, '--config', `sandbox_mode=${toml('workspace-write')}`];
}

function modelSettings({ models, gate }: CliStart): Settings {
  if (models.through === 'login') return models.baseUrl === null ? {} : { openai_base_url: models.baseUrl };
  return {
    model_provider: SERVER,
    [`model_providers.${SERVER}`]: {
      name: 'Tribune',
      base_url: `${gate.address}/openai`,
      wire_api: 'responses',
      env_key: TOKEN_VARIABLE,
      request_max_retries: CALL_RETRIES,
      stream_max_retries: CALL_RETRIES,
    },
  };
}

/** `exec` refuses foreign tools that are neither marked as reading only nor approved. */
function toolServer({ gate, tools }: CliStart): TomlValue {
  return {
    url: `${gate.address}/mcp`,
    bearer_token_env_var: TOKEN_VARIABLE,
    required: true,
    enabled_tools: tools,
    default_tools_approval_mode: 'approve',
    startup_timeout_sec: SERVER_WAIT_SECONDS,
    tool_timeout_sec: TOOL_WAIT_SECONDS,
  };
}

function instructions({ system, tools, role, directory }: CliStart): string {
  const named = tools.map((name) => `${name} is ${TOOL_PREFIX}${name}`);
  const place =
    role === 'owner'
      ? ''
      : ` You have no shell and cannot edit files: what you want to know of the work in ${directory} you learn by these tools.`;
  return `${system}\n\n# Names of your tools\n\nHere, ${named.join(', ')}.${place} End your turn with ${TOOL_PREFIX}${SUBMIT_VERDICT}.\n`;
}
