import { APIConnectionError, APIError } from '@anthropic-ai/sdk';
import { messageOf } from '../../../shared/kernel/result.ts';
import type { EngineFailure } from '../../ports/engine.ts';
import { exhausted, exhaustionOf } from './exhaustion.ts';

/** What a failed call was about, for the words of its failure. */
export interface CallFacts {
  readonly model: string;
  readonly baseUrl: string;
  /** The account's name. */
  readonly account: string;
  /** Whether the API had begun to answer. */
  readonly answered: boolean;
  /** Milliseconds since 1970, to read a date in `retry-after`. */
  readonly now: number;
}

export function missingKey(): EngineFailure {
  return {
    tag: 'login',
    forGood: true,
    message: 'The engine "anthropic" has no API key.',
    next: 'Set ANTHROPIC_API_KEY to a key from https://platform.claude.com/settings/keys, start the host again, and try again.',
  };
}

export function stoppedCall(model: string): EngineFailure {
  return { tag: 'stopped', forGood: false, message: `The call of ${model} was stopped.` };
}

export function timedOutCall(facts: CallFacts, what: 'silent' | 'long', limitMs: number): EngineFailure {
  const seconds = Math.round(limitMs / 1_000);
  return {
    tag: 'timed_out',
    forGood: false,
    message:
      what === 'silent'
        ? `${facts.model} at ${facts.baseUrl} sent nothing for ${seconds} seconds.`
        : `A reply of ${facts.model} at ${facts.baseUrl} was not complete after ${seconds} seconds.`,
    next: 'It is tried again; if it happens again, check the network and https://status.claude.com.',
  };
}

export function cutOffReply(facts: CallFacts, why: string): EngineFailure {
  return {
    tag: 'cut_off',
    forGood: false,
    message: `A reply of ${facts.model} was cut off: ${why}.`,
    next: 'Nothing of it was used; it is tried again.',
  };
}

/** The same conversation would be refused again, so a person has to change something. */
export function refusedByModel(model: string, stop: string): EngineFailure {
  return stop === 'model_context_window_exceeded'
    ? tooLong(model, 'the conversation fills its context window')
    : {
        tag: 'refused',
        forGood: true,
        message: `${model} declined to answer (stop reason "${stop}").`,
        next: 'Reword the request, or give the role another model.',
      };
}

function tooLong(model: string, why: string): EngineFailure {
  return {
    tag: 'refused',
    forGood: true,
    message: `The conversation is too long for ${model}: ${why}.`,
    next: 'Split the task, or give the role a model with a larger context window.',
  };
}

/** Turns whatever the SDK threw into the failure that it means. */
export function failureOf(thrown: unknown, facts: CallFacts): EngineFailure {
  if (thrown instanceof APIConnectionError) return networkFailure(thrown, facts);
  if (isApiError(thrown)) return failureOfApi(thrown, facts);
  if (facts.answered) return cutOffReply(facts, messageOf(thrown));
  return networkFailure(thrown, facts);
}

function isApiError(thrown: unknown): thrown is APIError {
  return thrown instanceof APIError;
}

function networkFailure(thrown: unknown, { baseUrl }: CallFacts): EngineFailure {
  return {
    tag: 'network',
    forGood: false,
    message: `${baseUrl} could not be reached: ${deepestMessage(thrown)}.`,
    next: 'Check the network, and the base address that the settings or ANTHROPIC_BASE_URL give.',
  };
}

/** The SDK wraps "fetch failed" around what really happened. */
function deepestMessage(thrown: unknown): string {
  let deepest = thrown;
  while (deepest instanceof Error && deepest.cause !== undefined) deepest = deepest.cause;
  return messageOf(deepest).replace(/\.$/, '') || messageOf(thrown);
}

/** Errors by HTTP status; inside a stream, where the status was 200 already, by the type in the error's body. */
function failureOfApi(error: APIError, facts: CallFacts): EngineFailure {
  const status = error.status ?? statusOfType[error.type ?? ''] ?? 529;
  const said = error.apiMessage ?? error.message;
  const { model } = facts;
  const exhaustion = exhaustionOf(error, status, said, facts);
  if (exhaustion !== null) return exhausted(exhaustion);
  switch (status) {
    case 404:
      return {
        tag: 'unknown_model',
        forGood: true,
        message: `${facts.baseUrl} does not know the model "${model}": ${said}`,
        next: "Set another model in the room's settings.",
      };
    case 408:
    case 504:
      return {
        tag: 'timed_out',
        forGood: false,
        message: `${facts.baseUrl} gave up on a call of ${model} (${status}): ${said}`,
        ...pauseAskedFor(error, facts.now),
      };
    case 409:
    case 425:
      return overloaded(error, facts, said);
    case 429:
      return {
        tag: 'rate_limited',
        forGood: false,
        message: `The rate limit of ${model} is reached: ${said}`,
        next: 'It is tried again after a pause.',
        ...pauseAskedFor(error, facts.now),
      };
    default:
      if (status >= 500) return overloaded(error, facts, said);
      return refusal(status, said, model);
  }
}

function overloaded(error: APIError, facts: CallFacts, said: string): EngineFailure {
  return {
    tag: 'overloaded',
    forGood: false,
    message: `${facts.baseUrl} cannot answer for ${facts.model} now: ${said}`,
    next: 'It is tried again after a pause.',
    ...pauseAskedFor(error, facts.now),
  };
}

/** The same request would be refused again, so trying again cannot help. */
function refusal(status: number, said: string, model: string): EngineFailure {
  // The API has no code for this; only what to do next depends on these words.
  if (status === 413 || /prompt is too long|exceeds? .*context/i.test(said)) return tooLong(model, said);
  return {
    tag: 'refused',
    forGood: true,
    message: `The API refused the request for ${model} (${status}): ${said}`,
    next: "Check the role's model and its largest reply in the room's settings.",
  };
}

/** Statuses of the types that an error inside a stream can have; any other is a fault of the other side. */
const statusOfType: Readonly<Record<string, number>> = {
  invalid_request_error: 400,
  authentication_error: 401,
  billing_error: 402,
  permission_error: 403,
  not_found_error: 404,
  rate_limit_error: 429,
  timeout_error: 504,
};

/** `retry-after` is a number of seconds or a date; see RFC 9110 §10.2.3. */
function pauseAskedFor(error: APIError, now: number): { readonly retryAfterMs?: number } {
  const value = error.headers?.get('retry-after') ?? null;
  if (value === null) return {};
  const seconds = Number(value);
  const pauseMs = Number.isFinite(seconds) ? seconds * 1_000 : Date.parse(value) - now;
  return Number.isFinite(pauseMs) && pauseMs > 0 ? { retryAfterMs: Math.ceil(pauseMs) } : {};
}
