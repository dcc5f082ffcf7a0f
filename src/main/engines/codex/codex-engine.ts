import { ok } from '../../../shared/kernel/result.ts';
import type { Engine } from '../../ports/engine.ts';
import { createCodingCliEngine, type CodingCliOptions } from '../coding-cli/coding-cli-engine.ts';
import { codexDialect } from './dialect.ts';

/** What people should know before they give Codex a role. */
const MANNERS =
  'It cannot ask a person for leave: an owner who may not do everything works in its sandbox, without a network. ' +
  'As reviewer or arbiter it has no shell, and runs commands through Tribune alone.';

/** Turns through Codex. */
export function createCodexEngine(options: CodingCliOptions): Engine {
  const engine = createCodingCliEngine(codexDialect, options);
  return {
    ...engine,
    async check(settings) {
      const found = await engine.check(settings);
      return found.ok ? ok(`${found.value} ${MANNERS}`) : found;
    },
  };
}
