import type { Engine } from '../../ports/engine.ts';
import { createCodingCliEngine, type CodingCliOptions } from '../coding-cli/coding-cli-engine.ts';
import { codexDialect } from './dialect.ts';

/** Turns through Codex. */
export function createCodexEngine(options: CodingCliOptions): Engine {
  return createCodingCliEngine(codexDialect, options);
}
