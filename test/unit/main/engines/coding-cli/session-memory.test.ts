import { describe, expect, it } from 'vitest';
import { sessionMemory } from '../../../../../src/main/engines/coding-cli/session-memory.ts';
import { MemoryDesk } from '../../../../support/memory-desk.ts';

const memoryOf = (desk: MemoryDesk, over: { engine?: 'codex'; home?: 'container' } = {}) =>
  sessionMemory(desk.transcript, over.engine ?? 'claude-code', over.home ?? 'host', 'turn_2');

describe('the memory of a program’s sessions', () => {
  it('knows none at first, and the newest afterwards', () => {
    const memory = memoryOf(new MemoryDesk());
    expect(memory.last()).toBeNull();
    memory.keep('one');
    memory.keep('two');
    expect(memory.last()).toEqual({ session: 'two', turn: 'turn_2' });
  });

  it('knows none where another engine spoke last', () => {
    const desk = new MemoryDesk();
    memoryOf(desk).keep('one');
    desk.transcript.append([{ kind: 'prompt', turn: 'turn_1', text: 'hello' }]);
    expect(memoryOf(desk).last()).toBeNull();
  });

  it('knows none of another program, nor of another home', () => {
    const desk = new MemoryDesk();
    memoryOf(desk).keep('one');
    expect(memoryOf(desk, { engine: 'codex' }).last()).toBeNull();
    expect(memoryOf(desk, { home: 'container' }).last()).toBeNull();
    memoryOf(desk, { engine: 'codex' }).keep('two');
    expect(memoryOf(desk).last()).toBeNull();
  });

  it('keeps the verdicts of the turn, and still knows the session', () => {
    const desk = new MemoryDesk();
    const memory = memoryOf(desk);
    memory.keep('one');
    memory.keepVerdict({ verdict: 'DONE' });
    expect(memory.verdicts()).toEqual([{ verdict: 'DONE' }]);
    expect(memory.last()?.session).toBe('one');
    expect(sessionMemory(desk.transcript, 'claude-code', 'host', 'turn_3').verdicts()).toEqual([]);
  });
});
