import type {
  Content,
  TribunalEvent,
  TurnEnded,
  TurnExhausted,
  TurnFailed,
} from '../../src/main/domain/tribunal/event.ts';
import type { LiveTurn, Spending, Task } from '../../src/main/domain/tribunal/task.ts';
import type { MessageId } from '../../src/shared/vocabulary/ids.ts';
import {
  answers,
  budgetLimits,
  judgements,
  workVerdicts,
  arbiterVerdicts,
} from '../../src/shared/vocabulary/words.ts';
import type { Draws } from './draws.ts';

/** Draws what happens to a task next: mostly what can be expected, often enough what should count for nothing. */
export class TribunalModel {
  #messages = 0;
  #snapshots = 0;
  readonly #past: TribunalEvent[] = [];

  public next(task: Task, draws: Draws): TribunalEvent {
    const old = this.#past[draws.below(this.#past.length + 1)];
    // The inbox lets no message in twice; everything else may be repeated.
    if (old !== undefined && old.type !== 'message_arrived' && draws.onceIn(10)) return old;
    const event = this.#new(task, draws);
    this.#past.push(event);
    return event;
  }

  /** What model calls have cost by now. */
  public spending(spent: Spending, draws: Draws): Spending {
    if (!draws.onceIn(6)) return spent;
    return {
      usd: spent.usd + draws.below(5),
      tokens: spent.tokens + draws.below(1_500_000),
      minutes: spent.minutes + draws.below(30),
    };
  }

  #new(task: Task, draws: Draws): TribunalEvent {
    const chance = draws.below(100);
    if (chance < 8) return { type: 'message_arrived', message: this.#message(), text: 'More.' };
    if (chance < 9) return { type: 'stop_requested' };
    if (chance < 12) return { type: 'host_restarted' };
    if (chance < 16)
      return { type: 'budget_reached', turn: this.#number(task, draws), limit: draws.of(budgetLimits) };
    if (chance < 24) return this.#taken(task, draws);
    if (task.question !== null || chance < 27) return this.#answer(task, draws);
    if (task.turn?.phase === 'due' && chance < 92) {
      return { type: 'turn_started', turn: this.#number(task, draws), base: draws.of(['snap_base', null]) };
    }
    if (chance < 30) return this.#exhausted(task, draws);
    return chance < 36 ? this.#failed(task, draws) : this.#ended(task, draws);
  }

  #message(): MessageId {
    this.#messages += 1;
    return `msg_${this.#messages}`;
  }

  #number(task: Task, draws: Draws): number {
    const live = task.turn?.number ?? task.nextTurn;
    return draws.onceIn(10) ? live + draws.of([-1, 1]) : live;
  }

  #attempt(turn: LiveTurn | null, draws: Draws): number {
    const live = turn?.attempt ?? 1;
    return draws.onceIn(10) ? live + draws.of([-1, 1]) : live;
  }

  #taken(task: Task, draws: Draws): TribunalEvent {
    const message = task.waiting[draws.below(task.waiting.length + 1)] ?? 'msg_unknown';
    return { type: 'message_taken', turn: this.#number(task, draws), message };
  }

  #answer(task: Task, draws: Draws): TribunalEvent {
    const number = task.question?.number ?? task.nextQuestion;
    const answer = draws.onceIn(8) ? draws.of(answers) : draws.of(['send_back', 'try_again', 'go_on']);
    return {
      type: 'person_answered',
      question: draws.onceIn(10) ? number - 1 : number,
      answer,
      message: answer === 'send_back' && draws.onceIn(2) ? this.#message() : null,
      criteria: draws.onceIn(8) ? ['A person wants it.'] : [],
      dropped: draws.onceIn(8) ? draws.some(task.criteria.map(({ id }) => id)) : [],
    };
  }

  #failed(task: Task, draws: Draws): TurnFailed {
    return {
      type: 'turn_failed',
      turn: this.#number(task, draws),
      attempt: this.#attempt(task.turn, draws),
      forGood: draws.onceIn(6),
      cut: draws.onceIn(6),
      reason: 'It broke off.',
      retryAfterMs: draws.of([null, 1, 100_000]),
      content: draws.onceIn(2) ? this.#snapshot(task, draws) : null,
    };
  }

  #exhausted(task: Task, draws: Draws): TurnExhausted {
    return {
      type: 'turn_exhausted',
      turn: this.#number(task, draws),
      attempt: this.#attempt(task.turn, draws),
      afterMs: draws.of([0, 60_000, 3_600_000]),
      content: draws.onceIn(2) ? this.#snapshot(task, draws) : null,
    };
  }

  #ended(task: Task, draws: Draws): TurnEnded {
    const words = draws.onceIn(15) ? [...workVerdicts, ...arbiterVerdicts] : wordsOf(task);
    const verdict = words[draws.below(words.length + 1)];
    const points = [...task.criteria, ...task.findings].map(({ id }) => id);
    const findings = draws.onceIn(2) ? 0 : 1 + draws.below(2);
    return {
      type: 'turn_ended',
      turn: this.#number(task, draws),
      attempt: this.#attempt(task.turn, draws),
      visible: !draws.onceIn(12),
      reading:
        verdict === undefined
          ? { kind: 'none', reason: 'no status line' }
          : { kind: 'verdict', verdict, via: draws.of(['tool', 'text']) },
      text: draws.of(['', 'It does not handle zero.', 'It does not handle one.']),
      report: {
        findings: Array.from({ length: findings }, () => ({
          criterion: draws.of([null, 'C1', 'C2', 'C9']),
          severity: draws.of(['blocking', 'minor']),
          place: null,
          text: draws.of(['Zero.', 'One.', 'Two.']),
          evidence: null,
        })),
        judgements: points
          .filter(() => draws.onceIn(2))
          .map((id) => ({ id, judgement: draws.onceIn(3) ? draws.of(judgements) : 'met' })),
        criteria: draws.onceIn(4) ? draws.some(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i']) : [],
        dropped: draws.onceIn(10) ? draws.some(task.criteria.map(({ id }) => id)) : [],
        overruled: draws.onceIn(4) ? draws.some(task.findings.map(({ id }) => id)) : [],
      },
      content: this.#content(task, draws),
    };
  }

  #content(task: Task, draws: Draws): Content | null {
    if (task.turn?.role !== 'owner' || draws.onceIn(30)) return null;
    if (draws.onceIn(20)) return { kind: 'unknown', reason: 'git fails' };
    if (task.turn.purpose === 'finish' && task.approved !== null && draws.onceIn(2)) {
      return { kind: 'snapshot', snapshot: task.approved, equalsApproved: draws.of([true, true, null]) };
    }
    return {
      kind: 'snapshot',
      snapshot: this.#snapshot(task, draws),
      equalsApproved: draws.of([false, false, null]),
    };
  }

  #snapshot(task: Task, draws: Draws): `snap_${string}` {
    if (task.content !== null && draws.onceIn(3)) return task.content;
    this.#snapshots += 1;
    return `snap_${this.#snapshots}`;
  }
}

function wordsOf(task: Task): readonly ((typeof workVerdicts)[number] | (typeof arbiterVerdicts)[number])[] {
  if (task.turn?.role === 'arbiter') return arbiterVerdicts;
  return [...workVerdicts, 'DONE', 'DONE_WITH_CONCERNS'];
}
