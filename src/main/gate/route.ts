import type { Upstream } from '../ports/turn-gate.ts';

/** The APIs that a gate leads to. */
export type Api = Upstream['api'];

/** Where a request to a gate leads. */
export type Route =
  | {
      readonly kind: 'model_api';
      readonly api: Api;
      /** What follows the API's base URL, query included. */
      readonly path: string;
      /** Whether a model answers it, so that it costs tokens. */
      readonly generates: boolean;
    }
  | { readonly kind: 'tools' }
  /** No turn may go there. */
  | { readonly kind: 'closed'; readonly api: Api | null };

interface Opening {
  readonly method: 'GET' | 'POST';
  readonly path: RegExp;
  readonly generates: boolean;
}

const modelName = '[A-Za-z0-9][A-Za-z0-9._:-]*';

/**
 * All that coding agents need of each API; anything else an account can do stays closed to them. Sources:
 * https://platform.claude.com/docs/en/api/overview and https://platform.openai.com/docs/api-reference.
 */
const openings: Readonly<Record<Api, readonly Opening[]>> = {
  anthropic: [
    { method: 'POST', path: /^\/v1\/messages$/, generates: true },
    { method: 'POST', path: /^\/v1\/messages\/count_tokens$/, generates: false },
    { method: 'GET', path: new RegExp(`^/v1/models(?:/${modelName})?$`), generates: false },
  ],
  openai: [
    { method: 'POST', path: /^\/responses(?:\/compact)?$/, generates: true },
    { method: 'POST', path: /^\/chat\/completions$/, generates: true },
    { method: 'GET', path: new RegExp(`^/models(?:/${modelName})?$`), generates: false },
  ],
};

/**
 * Reads a request's method and target. The target is matched as it was sent, never decoded or resolved: what is
 * spelled in another way than clients spell it is closed.
 */
export function routeOf(method: string, target: string): Route {
  const [path = '', ...query] = target.split('?');
  if (path === '/mcp') return { kind: 'tools' };
  const api = apiOf(path);
  if (api === null) return { kind: 'closed', api };
  const asked = withinApi(api, path.slice(`/${api}`.length));
  const opening = openings[api].find((one) => one.method === method && one.path.test(asked));
  if (opening === undefined) return { kind: 'closed', api };
  return {
    kind: 'model_api',
    api,
    path: query.length === 0 ? asked : `${asked}?${query.join('?')}`,
    generates: opening.generates,
  };
}

function apiOf(path: string): Api | null {
  if (path.startsWith('/anthropic/')) return 'anthropic';
  return path.startsWith('/openai/') ? 'openai' : null;
}

/** OpenAI's clients have `/v1` in their base URL, others add it: upstream's base URL says whether it is wanted. */
function withinApi(api: Api, path: string): string {
  return api === 'openai' ? path.replace(/^\/v1(?=\/)/, '') : path;
}
