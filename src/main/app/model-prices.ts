import { listPrices, usdOf } from '../engines/anthropic/prices.ts';
import { usdOfOpenAi } from '../engines/codex/prices.ts';
import type { CallTokens } from '../gate/broker/tokens.ts';
import type { Upstream } from '../ports/turn-gate.ts';

/** What a call past a gate cost, in US dollars; null where the model has no list price. */
export function usdOfCall(api: Upstream['api'], model: string, tokens: CallTokens): number | null {
  return api === 'anthropic' ? usdOf(listPrices, model, tokens) : usdOfOpenAi(model, tokens);
}
