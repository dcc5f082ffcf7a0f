import type { TomlValue } from './toml.ts';

/** Features of Codex that give its model tools which act beside ours, or start programs by themselves. */
const FEATURES_OFF = [
  'shell_tool',
  'unified_exec',
  'shell_snapshot',
  'view_image',
  'image_generation',
  'goals',
  'hooks',
  'apps',
  'plugins',
  'browser_use',
  'computer_use',
  'memories',
  'tool_suggest',
  'skill_mcp_dependency_install',
] as const;

/**
 * What holds for whoever judges: no shell, no tools but ours, and nothing that the work says is an instruction. The tool
 * that edits files cannot be taken away from every model; the sandbox that only reads refuses it, in Codex itself, so
 * that it holds in a container too.
 */
export const sealedSettings: Readonly<Record<string, TomlValue>> = {
  approval_policy: 'never',
  sandbox_mode: 'read-only',
  web_search: 'disabled',
  project_doc_max_bytes: 0,
  'agents.enabled': false,
  'skills.include_instructions': false,
  'skills.bundled.enabled': false,
  ...Object.fromEntries(FEATURES_OFF.map((name) => [`features.${name}`, false])),
};
