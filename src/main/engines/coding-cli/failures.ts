import { clipped } from '../../../shared/kernel/text.ts';
import type { EngineFailure } from '../../ports/engine.ts';
import type { UpstreamRefusal } from '../../ports/turn-gate.ts';
import type { CliProblem } from './dialect.ts';
import { limits } from './limits.ts';
import { resetTimeIn } from './reset-time.ts';

/** What is known of why a program came to nothing. */
export interface FailureFacts {
  /** What people call the program. */
  readonly title: string;
  readonly model: string | null;
  /** What a person does to be let in. */
  readonly loginNext: string;
  /** What a person does to get a version that fits. */
  readonly updateNext: string;
  /** What upstream refused since the last call that went through; the newest counts. */
  readonly refusals: readonly UpstreamRefusal[];
  /** What the program said of it itself. */
  readonly problem: CliProblem | null;
  /** The end of its error output. */
  readonly errorOutput: string;
  readonly exitCode: number | null;
  readonly now: number;
}

/** A limit that resets within this time is waited for; one that takes longer has used the account up. */
const SOON_MS = 5 * 60_000;
/** Banners are short. A longer text only talks about limits. */
const BANNER_CHARACTERS = 160;

/**
 * Tells failures apart: by what the gate saw first, then by the program's own fields, and by words only where there
 * are no fields, only in short banners.
 */
export function failureOf(facts: FailureFacts): EngineFailure {
  const refusal = facts.refusals.at(-1);
  const structured = [refusal, facts.problem].find(
    (said) => said !== undefined && said !== null && said.status !== null,
  );
  const byFields =
    structured === undefined || structured === null ? null : failureOfStatus(structured, facts);
  if (byFields !== null) return byFields;
  const said = facts.problem?.message ?? lastLine(facts.errorOutput);
  const unknown = UNKNOWN_OPTION.exec(facts.errorOutput)?.[1];
  if (unknown !== undefined) return tooOldFor(unknown, facts);
  return (
    usedUpByType(facts.problem, facts) ??
    failureOfBanner(said, facts) ?? {
      tag: 'program_failed',
      forGood: false,
      message: `${facts.title} came to nothing${exit(facts.exitCode)}: ${said === '' ? 'it did not say why' : quoted(said)}.`,
      next: 'It is tried again; check the program with `tribune doctor`.',
    }
  );
}

/** How both programs say that they do not know an option. */
const UNKNOWN_OPTION = /^error: (?:unknown option|unexpected argument|invalid value) '([^']+)'/m;

function tooOldFor(option: string, { title, updateNext }: FailureFacts): EngineFailure {
  return {
    tag: 'misconfigured',
    forGood: true,
    message: `${title} does not know ${option}: it is too old, or much newer than what is known of it.`,
    next: updateNext,
  };
}

interface Refused {
  readonly status: number | null;
  readonly type: string | null;
  readonly message: string;
  readonly resetsAt: number | null;
  readonly retryAfterMs?: number | null;
}

function failureOfStatus(said: Refused, facts: FailureFacts): EngineFailure | null {
  const { title, model } = facts;
  const message = quoted(said.message);
  switch (said.status) {
    case null:
      return null;
    case 0:
      return unreachable(message, title);
    case 400:
      // The API says these as plain invalid requests.
      if (/^Your credit balance is too low/.test(said.message)) return cannotPay(message);
      if (/^You have reached your specified .{0,40}usage limits/.test(said.message))
        return usedUp(said, facts);
      if (ACCESS_BANNER.test(said.message)) return shutOut(message, facts);
      return refused(message, title);
    case 401:
    case 403:
      return shutOut(message, facts);
    case 402:
      return cannotPay(message);
    case 404:
      return {
        tag: 'unknown_model',
        forGood: true,
        message: `The model ${model ?? 'that ' + title + ' chose'} is not known: ${message}`,
        next: "Set another model in the room's settings.",
      };
    case 408:
    case 504:
      return {
        tag: 'timed_out',
        forGood: false,
        message: `A call of ${title} took too long: ${message}`,
        next: 'It is tried again.',
        ...pause(said),
      };
    case 429:
      return isUsedUp(said, facts.now) ? usedUp(said, facts) : rateLimited(said, facts);
    default:
      if (said.status >= 500) {
        return {
          tag: 'overloaded',
          forGood: false,
          message: `The API cannot answer ${title} now (${said.status}): ${message}`,
          next: 'It is tried again after a pause.',
          ...pause(said),
        };
      }
      return said.status >= 400 ? refused(message, title) : null;
  }
}

/** Words of the APIs for a limit that is a matter of hours, not of seconds. */
const USED_UP_TYPES: ReadonlySet<string> = new Set([
  'usage_limit_reached',
  'usage_not_included',
  'insufficient_quota',
  'billing_error',
]);

function isUsedUp({ type, message, resetsAt }: Refused, now: number): boolean {
  if (type !== null && USED_UP_TYPES.has(type)) return true;
  if (resetsAt !== null) return resetsAt - now > SOON_MS;
  return isLimitBanner(message);
}

function usedUpByType(problem: CliProblem | null, facts: FailureFacts): EngineFailure | null {
  return problem?.type !== null && problem !== null && USED_UP_TYPES.has(problem.type)
    ? usedUp(problem, facts)
    : null;
}

/** Begins like a limit that was hit, says when it ends, and says nothing else. */
const LIMIT_BANNER =
  /^(?:api error: )?(?:(?:you(?:'|’)ve|you have) (?:hit|reached) your\b.{0,40}\blimit|(?:claude (?:ai |code )?)?(?:\S+ )?(?:usage|session|weekly|5-hour) limit reached|you(?:'|’)re out of (?:extra )?usage)/i;
const RESET_HINT = /\bresets?\b|\btry again (?:at|in)\b|\|\d{10}\b/i;
const LOGIN_BANNER =
  /^(?:failed to authenticate|invalid api key|please run \/login|not logged in|oauth token (?:has expired|revoked)|.{0,40}\b(?:refresh token|access token) (?:was|has|could not)\b)/i;
const ACCESS_BANNER =
  /^.{0,40}\borganization\b.{0,60}\b(?:no longer has|does not have|has been disabled|disabled)\b/i;
const NETWORK_BANNER =
  /\b(?:ECONNREFUSED|ECONNRESET|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH)\b|^(?:api error: )?(?:unable to connect|connection error|fetch failed|stream disconnected|error sending request)/i;

function isLimitBanner(text: string): boolean {
  const banner = text.trim();
  return banner.length <= BANNER_CHARACTERS && LIMIT_BANNER.test(banner) && RESET_HINT.test(banner);
}

function failureOfBanner(text: string, facts: FailureFacts): EngineFailure | null {
  const banner = text.trim();
  if (banner.length > BANNER_CHARACTERS) return null;
  const said = { status: null, type: null, message: banner, resetsAt: null };
  if (isLimitBanner(banner)) return usedUp(said, facts);
  if (LOGIN_BANNER.test(banner) || ACCESS_BANNER.test(banner)) return shutOut(quoted(banner), facts);
  if (NETWORK_BANNER.test(banner)) return unreachable(quoted(banner), facts.title);
  return null;
}

function usedUp({ message, resetsAt }: Refused, { title, now }: FailureFacts): EngineFailure {
  const until = resetsAt ?? resetTimeIn(message, now);
  return {
    tag: 'exhausted',
    forGood: false,
    message: `The account of ${title} has used up what it may use: ${quoted(message)}`,
    next: 'It can be used again when its limit is reset.',
    ...(until === null ? {} : { resetsAt: until }),
  };
}

function shutOut(message: string, { title, loginNext }: FailureFacts): EngineFailure {
  return {
    tag: 'exhausted',
    forGood: true,
    message: `${title} is not let in: ${message}`,
    next: loginNext,
  };
}

function cannotPay(message: string): EngineFailure {
  return {
    tag: 'exhausted',
    forGood: true,
    message: `The account cannot pay for the call: ${message}`,
    next: 'Check the billing page of the account.',
  };
}

function rateLimited(said: Refused, { title, now }: FailureFacts): EngineFailure {
  const soon = said.resetsAt === null || said.resetsAt <= now ? {} : { retryAfterMs: said.resetsAt - now };
  return {
    tag: 'rate_limited',
    forGood: false,
    message: `A rate limit of ${title}'s account is reached: ${quoted(said.message)}`,
    next: 'It is tried again after a pause.',
    ...soon,
    ...pause(said),
  };
}

function refused(message: string, title: string): EngineFailure {
  return {
    tag: 'refused',
    forGood: true,
    message: `The API refused what ${title} asked: ${message}`,
    next: "Check the role's model in the room's settings, or split the task.",
  };
}

function unreachable(message: string, title: string): EngineFailure {
  return {
    tag: 'network',
    forGood: false,
    message: `${title} could not reach its API: ${message}`,
    next: "Check the network, and the account's base address if it has one of its own.",
  };
}

function pause({ retryAfterMs }: Refused): { readonly retryAfterMs?: number } {
  return retryAfterMs === undefined || retryAfterMs === null ? {} : { retryAfterMs };
}

function exit(exitCode: number | null): string {
  return exitCode === null || exitCode === 0 ? '' : ` (exit code ${exitCode})`;
}

/** The last line that says anything. */
export function lastLine(text: string): string {
  return text.trimEnd().split('\n').at(-1)?.trim() ?? '';
}

export function quoted(text: string): string {
  return clipped(text.trim().replace(/\.$/, ''), limits.quotedCharacters);
}
