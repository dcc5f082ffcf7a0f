import pico from 'picocolors';
import { describe, expect, it } from 'vitest';
import type { Context } from '../../../../src/main/cli/context.ts';
import { followTask } from '../../../../src/main/cli/follow-task.ts';
import { Screen } from '../../../../src/main/cli/screen.ts';
import type { Session } from '../../../../src/main/cli/session.ts';
import type { TaskDetail } from '../../../../src/shared/contract/views.ts';
import { err, ok } from '../../../../src/shared/kernel/result.ts';
import type { Result } from '../../../../src/shared/kernel/result.ts';
import { FakeService } from '../../../support/fake-service.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

const TASK = 'task_1';

const working: TaskDetail = {
  task: {
    id: TASK,
    room: 'shop',
    title: 'Mend it',
    origin: 'message',
    state: 'active',
    ending: null,
    role: 'owner',
    waitsUntil: null,
    startedAt: 0,
    endedAt: null,
    appliedAt: null,
    rounds: 0,
    spent: { usd: 0, tokens: 0, minutes: 0 },
  },
  request: 'Mend it',
  criteria: [],
  findings: [],
  ruling: null,
  turns: [],
  escalation: null,
  base: null,
  content: null,
  approved: null,
  applicable: false,
  standsOn: [],
  leftOut: [],
  changes: [],
};

const asking: TaskDetail = {
  ...working,
  task: { ...working.task, state: 'awaiting_person' },
  escalation: {
    id: 'esc_1',
    room: 'shop',
    task: TASK,
    title: 'Mend it',
    text: 'Which way?',
    answers: ['send_back', 'try_again', 'stop'],
    limit: null,
    snapshot: null,
    shown: 'hash',
    askedAt: 0,
  },
};

const done: TaskDetail = { ...working, task: { ...working.task, state: 'completed', ending: 'reviewed' } };

/** A command at a terminal (or not), on a host in memory. */
class Stage {
  public readonly service = new FakeService();
  public readonly answered: unknown[] = [];
  public readonly interruption = new AbortController();
  /** What the person types, in turn. */
  public typed: string[] = [];
  public onAsked: () => void = () => undefined;
  public shown: TaskDetail = working;
  public running = true;
  public terminal = true;
  public out = '';

  public constructor() {
    this.service.on('tasks.show', () => ok(this.shown));
    this.service.on('escalations.answer', (input) => {
      this.answered.push(input);
      this.become(done, 'escalation.closed', 'task.completed');
      return ok(done.task);
    });
  }

  public become(detail: TaskDetail, ...events: string[]): void {
    this.shown = detail;
    for (const type of events) this.service.happen(type, {}, TASK);
  }

  public follow(begin: () => Promise<Result<string>> = () => Promise.resolve(ok(TASK))) {
    const { service, running } = this;
    const session: Session = { service, running, socketPath: null, close: () => Promise.resolve() };
    return followTask(this.#context(), session, { room: 'shop', verbose: false }, begin);
  }

  #context(): Context {
    const streams = {
      out: (text: string) => (this.out += text),
      problems: (text: string) => (this.out += text),
      columns: () => (this.terminal ? 80 : null),
    };
    return {
      environment: {},
      directory: '/',
      dataDirectory: '/data',
      clock: new ManualClock(),
      pause: () => Promise.resolve(),
      screen: new Screen(streams, pico.createColors(false), false),
      person: {
        atTerminal: this.terminal,
        read: () => Promise.resolve(''),
        ask: (_prompt, signal) => {
          this.onAsked();
          return Promise.resolve(signal.aborted ? null : (this.typed.shift() ?? null));
        },
      },
      interruption: this.interruption.signal,
      openHost: () => Promise.resolve(err({ tag: 'unused', message: 'There is a host already.' })),
    };
  }
}

describe('followTask', () => {
  it('tells what happens and ends with the task', async () => {
    const stage = new Stage();
    const following = stage.follow();
    stage.service.happen('turn.started', { role: 'owner', purpose: 'work' }, TASK);
    stage.service.happen('turn.started', { role: 'reviewer', purpose: 'review' }, 'task_other');
    await Promise.resolve();
    stage.become(done, 'task.completed');
    expect(await following).toEqual(ok(0));
    expect(stage.out).toContain('Owner works');
    expect(stage.out).not.toContain('Reviewer reviews');
    expect(stage.out).toContain('Done, reviewed. 0 rounds, nothing changed');
    expect(stage.service.followers).toBe(0);
  });

  it('ends at once where the task had ended before', async () => {
    const stage = new Stage();
    stage.shown = { ...done, task: { ...done.task, ending: 'superseded' } };
    expect(await stage.follow()).toEqual(ok(4));
  });

  it('gives the failure of what it was to begin', async () => {
    const failure = { tag: 'not_found', message: 'There is no room.' };
    const stage = new Stage();
    expect(await stage.follow(() => Promise.resolve(err(failure)))).toEqual(err(failure));
    expect(stage.service.followers).toBe(0);
  });

  it('asks the person at the terminal, until there is an answer', async () => {
    const stage = new Stage();
    stage.shown = asking;
    stage.typed = ['7', '1', 'the left way'];
    expect(await stage.follow()).toEqual(ok(0));
    expect(stage.out).toContain('Which way?');
    expect(stage.out).toContain('"7" is none of them.');
    expect(stage.answered).toEqual([
      {
        escalation: 'esc_1',
        answer: 'send_back',
        text: 'the left way',
        criteria: [],
        dropped: [],
        shown: 'hash',
      },
    ]);
  });

  it('leaves the question with its commands where the person gives no answer', async () => {
    const stage = new Stage();
    stage.shown = asking;
    expect(await stage.follow()).toEqual(ok(3));
    expect(stage.out).toContain('tribune answer esc_1 send_back "…"');
    expect(stage.answered).toEqual([]);
  });

  it('asks nobody where there is no terminal', async () => {
    const stage = new Stage();
    stage.terminal = false;
    stage.shown = asking;
    stage.typed = ['3'];
    expect(await stage.follow()).toEqual(ok(3));
    expect(stage.out).toContain('tribune answer esc_1 stop');
    expect(stage.answered).toEqual([]);
  });

  const permission: TaskDetail = {
    ...working,
    escalation: {
      id: 'esc_2',
      room: 'shop',
      task: TASK,
      title: 'Mend it',
      text: 'The owner asks whether it may use Bash:\nrm -r build',
      answers: ['allow', 'refuse', 'stop'],
      limit: null,
      snapshot: null,
      shown: 'hash',
      askedAt: 0,
    },
  };

  it('asks the person for the leave that a running turn needs', async () => {
    const stage = new Stage();
    stage.shown = permission;
    stage.typed = ['allow'];
    expect(await stage.follow()).toEqual(ok(0));
    expect(stage.answered).toMatchObject([{ escalation: 'esc_2', answer: 'allow', shown: 'hash' }]);
  });

  it('ends where a running host can wait for the leave', async () => {
    const stage = new Stage();
    stage.terminal = false;
    stage.shown = permission;
    expect(await stage.follow()).toEqual(ok(3));
  });

  it('goes on where the turn that needs leave would end with this command, until it is answered', async () => {
    const stage = new Stage();
    stage.terminal = false;
    stage.running = false;
    stage.shown = permission;
    const following = stage.follow();
    stage.service.happen('turn.said', { text: 'Waiting.' }, TASK);
    await new Promise((resolve) => setImmediate(resolve));
    expect(stage.out).toContain('tribune answer esc_2 allow');
    stage.become(done, 'escalation.closed', 'task.completed');
    expect(await following).toEqual(ok(0));
  });

  it('takes the question back when it is answered elsewhere', async () => {
    const stage = new Stage();
    stage.shown = asking;
    stage.typed = ['3'];
    stage.onAsked = () => {
      stage.become(done, 'escalation.closed', 'task.completed');
    };
    expect(await stage.follow()).toEqual(ok(0));
    expect(stage.answered).toEqual([]);
    expect(stage.out).toContain('answered elsewhere');
  });

  it('begins nothing after an interruption', async () => {
    const stage = new Stage();
    stage.interruption.abort();
    const begin = () => Promise.reject(new Error('It was begun.'));
    expect(await stage.follow(begin)).toEqual(ok(130));
  });

  it.each([
    [true, 'The host goes on with the task.'],
    [false, 'goes on with the next host'],
  ])('says what becomes of the task when it is interrupted (a running host: %s)', async (running, words) => {
    const stage = new Stage();
    stage.running = running;
    const following = stage.follow();
    stage.interruption.abort();
    expect(await following).toEqual(ok(130));
    expect(stage.out).toContain(words);
    expect(stage.out).toContain(`tribune stop ${TASK}`);
  });
});
