import { expect } from 'vitest';
import { decide } from '../../src/main/domain/tribunal/decide.ts';
import type { Decision } from '../../src/main/domain/tribunal/decide.ts';
import type { Effect } from '../../src/main/domain/tribunal/effect.ts';
import type {
  Content,
  PersonAnswered,
  Report,
  ReportedFinding,
  TribunalEvent,
  TurnEnded,
  TurnExhausted,
  TurnFailed,
} from '../../src/main/domain/tribunal/event.ts';
import { startTask } from '../../src/main/domain/tribunal/start.ts';
import type { Beginning } from '../../src/main/domain/tribunal/start.ts';
import type {
  Budget,
  LiveTurn,
  Question,
  Spending,
  Task,
  Terms,
} from '../../src/main/domain/tribunal/task.ts';
import type { MessageId, SnapshotId } from '../../src/shared/vocabulary/ids.ts';
import type { Answer, BudgetLimit, Judgement, Verdict } from '../../src/shared/vocabulary/words.ts';
import { deepFreeze } from './deep-freeze.ts';

/** What a trial's room is set to; what is left out is a tribunal with an arbiter, a worktree and the usual budget. */
export type TrialTerms = Partial<Omit<Terms, 'budget'>> & { readonly budget?: Partial<Budget> };

/** What a turn ends with, besides its verdict. */
export interface EndingParts {
  readonly text?: string;
  readonly visible?: boolean;
  readonly findings?: readonly Partial<ReportedFinding>[];
  readonly judged?: Readonly<Record<string, Judgement>>;
  readonly criteria?: readonly string[];
  readonly dropped?: Report['dropped'];
  readonly overruled?: Report['overruled'];
  /** The snapshot that an owner leaves, or why none could be taken; what is left out is a new one. */
  readonly leaves?: SnapshotId | { readonly unknown: string } | null;
  /** Whether a finishing turn left what was approved. */
  readonly equals?: boolean | null;
  readonly turn?: number;
  readonly attempt?: number;
}

export const usualBudget: Budget = { usd: 10, tokens: 5_000_000, minutes: 120, rounds: 12 };

/** A message's id from a short name. */
export function msg(name: string): MessageId {
  return `msg_${name}`;
}

export function beginningOf(terms: TrialTerms = {}, rest: Partial<Beginning> = {}): Beginning {
  return {
    id: 'task_1',
    roomId: 'room_1',
    origin: 'message',
    request: 'Make the test pass.',
    messages: [msg('request')],
    terms: {
      mode: 'tribunal',
      hasArbiter: true,
      direct: false,
      ...terms,
      budget: { ...usualBudget, ...terms.budget },
    },
    criteria: [],
    base: null,
    ...rest,
  };
}

/** The rows that some trial has shown to be followed. */
export const shownRules = new Set<string>();

/** One task, driven by real decisions from its start on. */
export class Trial {
  #last: Decision;
  #snapshots = 0;

  public constructor(terms: TrialTerms = {}, rest: Partial<Beginning> = {}) {
    this.#last = deepFreeze({ ...startTask(beginningOf(terms, rest)), rule: null });
  }

  public get task(): Task {
    return this.#last.task;
  }

  /** What the last decision has to be carried out. */
  public get effects(): readonly Effect[] {
    return this.#last.effects;
  }

  /** The row that the last event matched. */
  public get rule(): string | null {
    return this.#last.rule;
  }

  public get turn(): LiveTurn {
    if (this.task.turn === null) throw new Error(`No turn is due or running: ${this.task.state}.`);
    return this.task.turn;
  }

  public get question(): Question {
    if (this.task.question === null) throw new Error(`Nobody is asked: ${this.task.state}.`);
    return this.task.question;
  }

  public happens(event: TribunalEvent): this {
    this.#last = deepFreeze(decide(this.task, deepFreeze(event)));
    return this;
  }

  /** The last event was decided by this row. */
  public follows(rule: string): this {
    expect(this.rule).toBe(rule);
    shownRules.add(rule);
    return this;
  }

  /** The last event changed nothing. */
  public changesNothing(before: Task): this {
    expect(this.rule).toBeNull();
    expect(this.effects).toEqual([]);
    expect(this.task).toEqual(before);
    return this;
  }

  public starts(base: SnapshotId | null = 'snap_base'): this {
    return this.happens({ type: 'turn_started', turn: this.turn.number, base });
  }

  /** The live turn ends with this verdict, started first where it was only due. */
  public ends(says: Verdict | null, parts: EndingParts = {}): this {
    if (this.turn.phase === 'due') this.starts();
    return this.happens(this.ending(says, parts));
  }

  /** The event that `ends` lets happen. */
  public ending(says: Verdict | null, parts: EndingParts = {}): TurnEnded {
    const text = parts.text ?? '';
    return {
      type: 'turn_ended',
      turn: parts.turn ?? this.turn.number,
      attempt: parts.attempt ?? this.turn.attempt,
      visible: parts.visible ?? true,
      reading:
        says === null
          ? { kind: 'none', reason: 'no status line' }
          : { kind: 'verdict', verdict: says, via: 'tool' },
      text,
      report: {
        findings: (parts.findings ?? []).map((finding) => ({
          criterion: null,
          severity: 'blocking',
          place: null,
          text: 'It is wrong.',
          evidence: null,
          ...finding,
        })),
        judgements: Object.entries(parts.judged ?? {}).map(([id, judgement]) => ({
          id: pointId(id),
          judgement,
        })),
        criteria: parts.criteria ?? [],
        dropped: parts.dropped ?? [],
        overruled: parts.overruled ?? [],
      },
      content: this.#contentOf(parts),
    };
  }

  /** The live turn fails, started first where it was only due. */
  public fails(parts: Partial<TurnFailed> = {}): this {
    if (this.turn.phase === 'due') this.starts();
    return this.happens(this.failing(parts));
  }

  public failing(parts: Partial<TurnFailed> = {}): TurnFailed {
    return {
      type: 'turn_failed',
      turn: this.turn.number,
      attempt: this.turn.attempt,
      forGood: false,
      cut: false,
      reason: 'The connection broke off.',
      retryAfterMs: null,
      content: null,
      ...parts,
    };
  }

  /** What the live turn runs on is used up; started first where it was only due. */
  public isExhausted(parts: Partial<TurnExhausted> = {}): this {
    if (this.turn.phase === 'due') this.starts();
    return this.happens(this.exhausting(parts));
  }

  public exhausting(parts: Partial<TurnExhausted> = {}): TurnExhausted {
    const { number, attempt } = this.turn;
    return { type: 'turn_exhausted', turn: number, attempt, afterMs: 0, content: null, ...parts };
  }

  public hears(name: string): this {
    return this.happens({ type: 'message_arrived', message: msg(name), text: `About ${name}.` });
  }

  public takes(name: string): this {
    return this.happens({ type: 'message_taken', turn: this.turn.number, message: msg(name) });
  }

  public isAnswered(answer: Answer, parts: Partial<PersonAnswered> = {}): this {
    return this.happens({
      type: 'person_answered',
      question: this.question.number,
      answer,
      message: null,
      criteria: [],
      dropped: [],
      ...parts,
    });
  }

  public isStopped(): this {
    return this.happens({ type: 'stop_requested' });
  }

  public losesItsHost(): this {
    return this.happens({ type: 'host_restarted' });
  }

  public reachesBudget(limit: BudgetLimit): this {
    return this.happens({ type: 'budget_reached', turn: this.turn.number, limit });
  }

  /** Model calls are recorded beside the tribunal, so what they cost appears in the task between two events. */
  public spends(spent: Partial<Spending>): this {
    this.#last = deepFreeze({
      ...this.#last,
      task: { ...this.task, spent: { ...this.task.spent, ...spent } },
    });
    return this;
  }

  /** The owner ends its first turn; the review is due. */
  public worked(parts: EndingParts = {}): this {
    return this.ends('DONE', parts);
  }

  /** The owner works and the reviewer approves; the finishing turn is due. */
  public approved(): this {
    return this.worked().ends('DONE');
  }

  /** The owner is blocked; the arbitration is due. */
  public blocked(): this {
    return this.ends('BLOCKED', { text: 'There is no compiler.' });
  }

  /** Reviews send the work back this often, each time with nothing gained. */
  public sentBack(times: number): this {
    for (let round = 0; round < times; round += 1) this.worked().ends('DONE_WITH_CONCERNS', defect);
    return this;
  }

  #contentOf({ leaves, equals = true }: EndingParts): Content | null {
    if (this.turn.role !== 'owner' || leaves === null) return null;
    if (typeof leaves === 'object') return { kind: 'unknown', reason: leaves.unknown };
    const finishing = this.turn.purpose === 'finish';
    const same = finishing && equals !== false ? this.task.approved : null;
    this.#snapshots += 1;
    const snapshot = leaves ?? same ?? (`snap_${this.#snapshots}` as const);
    return { kind: 'snapshot', snapshot, equalsApproved: finishing ? equals : null };
  }
}

/** A review's concern that blocks: the first criterion is unmet, and a finding says why. */
export const defect: EndingParts = {
  judged: { C1: 'unmet' },
  findings: [{ criterion: 'C1', text: 'Zero is not handled.' }],
};

function pointId(id: string): `C${number}` | `F${number}` {
  const number = Number(id.slice(1));
  return id.startsWith('C') ? `C${number}` : `F${number}`;
}
