import type { Clock } from '../../../shared/kernel/clock.ts';
import { err, ok } from '../../../shared/kernel/result.ts';
import type { Engine, EngineFailure } from '../../ports/engine.ts';
import type { Terminals } from '../../ports/terminal.ts';
import { missingKey } from './call-failures.ts';
import { listPrices, usdOf, type PriceList } from './prices.ts';
import { AnthropicTurn } from './turn.ts';

const DEFAULT_BASE_URL = 'https://api.anthropic.com';

export interface AnthropicEngineOptions {
  readonly clock: Clock;
  readonly terminals: Terminals;
  /** By default the list prices of the Claude API. */
  readonly prices?: PriceList;
}

/** Turns through the Messages API, in this process. A turn that was cut off goes on in its session. */
export function createAnthropicEngine(options: AnthropicEngineOptions): Engine {
  const { clock, terminals, prices = listPrices } = options;
  return {
    name: 'anthropic',
    resumes: true,
    runsCli: false,
    /** Looks at the settings only; whether the API takes them shows with the first call. */
    check(settings) {
      const { model } = settings;
      if (model === null) return Promise.resolve(err(missingModel()));
      const priced = usdOf(prices, model, { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }) !== null;
      return Promise.resolve(
        ok(
          `${model}${priced ? '' : '; its price is not known, so only tokens and time bound it'}, not tried.`,
        ),
      );
    },
    async run(request, desk, signal) {
      const { model } = request.settings;
      if (model === null) return err(missingModel());
      const { account } = request;
      if (account === null || account.access === null) return err(missingKey());
      const access = {
        account: account.name,
        ...account.access,
        baseUrl: account.baseUrl ?? DEFAULT_BASE_URL,
      };
      return new AnthropicTurn({ request, model, desk, terminals, access, prices, clock, signal }).run();
    },
  };
}

function missingModel(): EngineFailure {
  return {
    tag: 'misconfigured',
    forGood: true,
    message: 'The engine "anthropic" is set up without a model.',
    next: 'Name a model for this role in the room\'s settings, such as "claude-sonnet-5-5".',
  };
}
