import { describe, expect, test } from 'vitest';
import { msg, Trial } from '../../../../../support/trial.ts';

export function messageRows(): void {
  describe('a message or another origin, no open task', () => {
    test('is a new task: the owner is due, and the base is taken as its turn starts', () => {
      const trial = new Trial();
      expect(trial.task).toMatchObject({ state: 'active', base: null, waiting: [msg('request')] });
      expect(trial.turn).toMatchObject({
        role: 'owner',
        purpose: 'work',
        phase: 'due',
        number: 1,
        attempt: 1,
      });
      expect(trial.effects).toEqual([{ type: 'start_turn', turn: trial.turn, afterMs: 0 }]);

      trial.starts('snap_base').follows('the due turn starts');
      expect(trial.task).toMatchObject({ state: 'active', base: 'snap_base', waiting: [] });
      expect(trial.turn).toMatchObject({ phase: 'running', messages: [msg('request')] });
    });

    test('stands on the content that it was given, whatever the directory holds', () => {
      const trial = new Trial({}, { base: 'snap_finished' }).starts('snap_directory');
      expect(trial.task.base).toBe('snap_finished');
    });

    test('does not start twice', () => {
      const trial = new Trial().starts();
      const before = trial.task;
      trial.starts().changesNothing(before);
    });
  });

  describe("a message, the owner's turn running", () => {
    const offered = 'a message while the owner works: offered to the turn, else for its next one';

    test('is offered to the turn and given once the engine echoes it back', () => {
      const trial = new Trial().starts().hears('more').follows(offered);
      expect(trial.effects).toEqual([{ type: 'offer_message', turn: 1, message: msg('more') }]);
      expect(trial.task.waiting).toEqual([msg('more')]);

      trial.takes('more').follows('the running owner took a message');
      expect(trial.task.waiting).toEqual([]);
      expect(trial.turn.messages).toEqual([msg('request'), msg('more')]);
      trial.ends('DONE').follows('owner ends otherwise: review');
    });

    test("is the owner's next turn, before any review, where it was not taken", () => {
      const trial = new Trial().starts().hears('one').hears('two').takes('one');
      trial.ends('DONE').follows('the owner ends while a message waits: its next turn, before any review');
      expect(trial.turn).toMatchObject({ purpose: 'work', number: 2 });
      trial.starts();
      expect(trial.turn.messages).toEqual([msg('two')]);
      expect(trial.task.waiting).toEqual([]);
    });

    test('comes before the end of a single room, and before an arbiter', () => {
      for (const mode of ['single', 'tribunal'] as const) {
        const trial = new Trial({ mode }).starts().hears('more').ends('BLOCKED');
        expect(trial.turn).toMatchObject({ purpose: 'work', number: 2 });
      }
    });

    test('makes all counters 0', () => {
      const trial = new Trial().sentBack(2).starts();
      expect(trial.task.counters).toMatchObject({ rounds: 2, roundsWithoutProgress: 2 });
      trial.hears('more').follows(offered);
      expect(Object.values(trial.task.counters)).toEqual([0, 0, 0, 0, 0]);
    });

    test('is given with the turn where the owner is due, and makes the counters 0', () => {
      const trial = new Trial().sentBack(2);
      trial.hears('more').follows('a message before the owner starts: the turn has it');
      expect(trial.effects).toEqual([]);
      expect(trial.task.counters.rounds).toBe(0);
      trial.starts();
      expect(trial.turn.messages).toEqual([msg('more')]);
    });

    test('is not lost where the turn fails: the next try, which may go on in the session, is offered it', () => {
      const trial = new Trial().starts().hears('taken').takes('taken').hears('untaken').fails().hears('late');
      trial.starts();
      expect(trial.turn.messages).toEqual([msg('request'), msg('taken')]);
      expect(trial.task.waiting).toEqual([msg('untaken'), msg('late')]);
      trial.takes('untaken').takes('late');
      expect(trial.turn.messages).toEqual([msg('request'), msg('taken'), msg('untaken'), msg('late')]);
      expect(trial.task.waiting).toEqual([]);
    });

    test('counts as taken only from the live turn of the owner, and only once', () => {
      const trial = new Trial().starts().hears('more');
      let before = trial.task;
      trial.happens({ type: 'message_taken', turn: 7, message: msg('more') }).changesNothing(before);
      trial.takes('never said').changesNothing(before);
      before = trial.takes('more').task;
      trial.takes('more').changesNothing(before);

      const reviewing = new Trial().worked().starts().hears('more');
      before = reviewing.task;
      reviewing.takes('more').changesNothing(before);
    });
  });

  describe('a message while a review or arbitration is due or running', () => {
    const kept = 'a message while review or arbitration is due or running: kept for the owner';

    test('is kept, and the owner has it before any merge_ready', () => {
      const trial = new Trial().worked().hears('due').follows(kept).starts().hears('running').follows(kept);
      expect(trial.task.state).toBe('in_review');
      trial.ends('DONE').follows('the review ends while a message waits: the owner, before any merge_ready');
      expect(trial.task).toMatchObject({ state: 'active', approved: null });
      expect(Object.values(trial.task.counters)).toEqual([0, 0, 0, 0, 0]);
      trial.starts();
      expect(trial.turn.messages).toEqual([msg('due'), msg('running')]);
    });

    test('keeps what the review found', () => {
      const trial = new Trial({}, { criteria: ['It works.'] }).worked().hears('more');
      trial.ends('DONE_WITH_CONCERNS', { findings: [{ criterion: 'C1' }], judged: { C1: 'unmet' } });
      expect(trial.task.findings).toHaveLength(1);
      expect(trial.task.criteria[0]?.judgement).toBe('unmet');
    });

    test('goes before asking the reviewer again, and before trying again', () => {
      new Trial()
        .worked()
        .hears('more')
        .ends(null)
        .follows('the review ends while a message waits: the owner, before any merge_ready');
      new Trial()
        .worked()
        .hears('more')
        .ends(null, { visible: false })
        .follows('the review ends while a message waits: the owner, before any merge_ready');
      const trial = new Trial().worked().hears('more').fails();
      trial.follows('a review or arbitration fails while a message waits: the owner has it');
      expect(trial.turn).toMatchObject({ purpose: 'work', attempt: 1 });
    });

    test('is kept through an arbitration, whatever the ruling', () => {
      const waiting = 'an arbitration ends otherwise while a message waits: the owner has it';
      for (const [says, ruling] of [
        ['PROCEED', 'Go on.'],
        ['ESCALATE', null],
        [null, null],
      ] as const) {
        const trial = new Trial().blocked().starts().hears('more').follows(kept);
        trial.ends(says, { text: 'Go on.' }).follows(waiting);
        expect(trial.task).toMatchObject({ state: 'active', ruling });
        expect(trial.starts().turn.messages).toEqual([msg('more')]);
      }
      for (const says of ['REVISE', 'RESET'] as const) {
        const trial = new Trial().blocked().hears('more').ends(says, { text: 'Again.' }).starts();
        expect(trial.task.ruling).toBe('Again.');
        expect(trial.turn.messages).toEqual([msg('more')]);
      }
    });

    test('waits on while a person confirms a reset', () => {
      const trial = new Trial({ direct: true }).blocked().hears('more').ends('RESET');
      expect(trial.task).toMatchObject({ state: 'awaiting_person', waiting: [msg('more')] });
      trial.isAnswered('go_on').starts();
      expect(trial.turn.messages).toEqual([msg('more')]);
    });
  });

  describe('a message while merge_ready', () => {
    const row = 'a message while merge_ready: a new task on the approved content';

    test.each(['due', 'running'])(
      'ends the finishing turn that is %s; the new task stands on the approved',
      (phase) => {
        const trial = new Trial().approved();
        if (phase === 'running') trial.starts();
        const { approved } = trial.task;
        const { number } = trial.turn;
        trial.hears('another').follows(row);
        expect(trial.task).toMatchObject({ state: 'completed', ending: 'superseded', turn: null });
        expect(trial.effects).toEqual([
          { type: 'end_turn', turn: number },
          { type: 'tell_ending', ending: 'superseded' },
          { type: 'keep_content' },
          { type: 'start_task', message: msg('another'), text: 'About another.', base: approved },
        ]);
        expect(approved).not.toBeNull();
      },
    );

    test('does so while a failed finishing turn waits to be tried again', () => {
      new Trial().approved().fails().hears('another').follows(row);
    });
  });

  describe('a message while awaiting_person', () => {
    test('counts as "send back" with these words on the open question', () => {
      const trial = new Trial({ hasArbiter: false }).blocked();
      const { number } = trial.question;
      trial.hears('here it is').follows('a message while a person is asked: sent back with these words');
      expect(trial.effects[0]).toEqual({ type: 'close_question', question: number });
      expect(trial.task).toMatchObject({ state: 'active', question: null });
      expect(trial.starts().turn.messages).toEqual([msg('here it is')]);
    });

    test('is joined by what the failed turn had been given and by what waits', () => {
      const trial = new Trial().starts().hears('waits').fails({ forGood: true });
      trial.hears('here it is').starts();
      expect(trial.turn.messages).toEqual([msg('request'), msg('waits'), msg('here it is')]);
    });

    test('at a used up budget grants one more, or nothing could be done with it', () => {
      const trial = new Trial().starts().spends({ usd: 11 }).ends('DONE');
      expect(trial.question.kind).toBe('budget');
      trial.hears('go on');
      expect(trial.task).toMatchObject({ state: 'active', budgets: 2 });
    });
  });
}
