import type { EngineFailure } from '../../ports/engine.ts';
import type { UpstreamRefusal } from '../../ports/turn-gate.ts';
import type { Said } from './conversation.ts';
import type { CliDialect, CliProblem } from './dialect.ts';
import { failureOf, lastLine, quoted } from './failures.ts';
import { halfALine, lost, notItsProtocol, resultAndFailure, stopped, withoutResult } from './faults.ts';

/** What is known beside what the program said. */
export interface Circumstances {
  readonly dialect: CliDialect;
  readonly model: string | null;
  /** The account whose key is used; null where the person's own login is. */
  readonly account: string | null;
  /** What upstream refused since the last call that went through. */
  readonly refusals: readonly UpstreamRefusal[];
  readonly now: number;
  readonly signal: AbortSignal;
}

/** Why an attempt came to nothing; null where it came to something. */
export function judge(said: Said, circumstances: Circumstances): EngineFailure | null {
  const { dialect, model, account, refusals, now, signal } = circumstances;
  const { title } = dialect;
  const { end, errorOutput, problem } = said;
  if (said.gaveUp !== null) return said.gaveUp;
  if (signal.aborted) return stopped(title);
  if (end.by === 'lost') return lost(title, end);
  if (said.answered) {
    // A program that lingered was ended by us, after it had said everything.
    const endedWell = end.by === 'stopped' || end.exitCode === 0;
    return endedWell ? null : resultAndFailure(title, end, quoted(lastLine(errorOutput)));
  }
  const facts = {
    title,
    model,
    loginNext:
      account === null
        ? dialect.login.next
        : `Check that the key of the account "${account}" is valid and may use this model.`,
    updateNext: dialect.install,
    refusals,
    problem,
    errorOutput,
    exitCode: end.exitCode,
    now,
  };
  if (problem !== null || refusals.length > 0) return failureOf(facts);
  if (said.garbage !== null && said.halfLine) return halfALine(title, said.garbage);
  if (said.garbage !== null && said.session === null) return notItsProtocol(title, said.garbage);
  return end.exitCode === 0 ? withoutResult(title) : failureOf(facts);
}

/** Whether a session that was gone on in is lost, or has something in it that cannot be gone on with. */
export function isBadSession(said: Said, failure: EngineFailure, dialect: CliDialect): boolean {
  const { problem, promptTaken, errorOutput } = said;
  const printed: CliProblem = { status: null, type: null, message: lastLine(errorOutput), resetsAt: null };
  if (said.gaveUp !== null) return false;
  if (dialect.isLostSession(problem ?? printed)) return true;
  if (failure.tag === 'refused') return true;
  return (
    !promptTaken &&
    (failure.tag === 'program_failed' || failure.tag === 'protocol') &&
    said.end.by === 'itself'
  );
}
