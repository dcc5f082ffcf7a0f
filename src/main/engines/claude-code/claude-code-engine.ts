import type { Engine } from '../../ports/engine.ts';
import { createCodingCliEngine, type CodingCliOptions } from '../coding-cli/coding-cli-engine.ts';
import { claudeCodeDialect } from './dialect.ts';

/** Turns through Claude Code. */
export function createClaudeCodeEngine(options: CodingCliOptions): Engine {
  return createCodingCliEngine(claudeCodeDialect, options);
}
