import { describe, expect, it } from 'vitest';
import {
  nextStep,
  placeOfPrompt,
  readTranscript,
  type Entry,
} from '../../../../../src/main/engines/anthropic/conversation.ts';

const prompt = (turn: string, text = 'Do it.'): Entry => ({ kind: 'prompt', turn, text });
const said = (stop = 'end_turn'): Entry => ({
  kind: 'reply',
  model: 'm',
  stop,
  content: [{ type: 'text', text: 'x' }],
});
const called: Entry = {
  kind: 'reply',
  model: 'm',
  stop: 'tool_use',
  content: [{ type: 'tool_use', id: 'a', name: 'list_files', input: {} }],
};
const results: Entry = { kind: 'results', results: [{ id: 'a', ok: true, text: '' }] };

describe('nextStep', () => {
  it.each<[string, readonly Entry[], boolean, string]>([
    ['nothing was said', [], false, 'call'],
    ['only the prompt is there', [prompt('turn_1')], false, 'call'],
    ['a call waits for its result', [prompt('turn_1'), called], false, 'answer'],
    ['a call waits, though a verdict is in', [prompt('turn_1'), called], true, 'answer'],
    ['results wait for a reply', [prompt('turn_1'), called, results], false, 'call'],
    ['a verdict was accepted', [prompt('turn_1'), called, results], true, 'end'],
    ['the model has nothing more to do', [prompt('turn_1'), said()], false, 'end'],
    ['a reply was cut', [prompt('turn_1'), said('max_tokens')], false, 'call_on'],
  ])('when %s', (_when, turn, accepted, kind) => {
    expect(nextStep(turn, accepted).kind).toBe(kind);
  });

  it('counts replies that were cut in a row, whatever we said between them', () => {
    const note: Entry = { kind: 'note', text: 'Go on.' };
    const turn = [said('max_tokens'), said(), said('max_tokens'), note, said('max_tokens')];
    expect(nextStep(turn, false)).toEqual({ kind: 'call_on', cutReplies: 2 });
  });
});

describe('placeOfPrompt', () => {
  const entries = [prompt('turn_1'), said(), prompt('turn_2'), said()];

  it('finds the prompt of the newest turn only', () => {
    expect(placeOfPrompt(entries, 'turn_2', 'Do it.')).toBe(2);
    expect(placeOfPrompt(entries, 'turn_1', 'Do it.')).toBe(-1);
  });

  it('takes a prompt with other words for another, unless the turn is gone on with', () => {
    expect(placeOfPrompt(entries, 'turn_2', 'Do that.')).toBe(-1);
    expect(placeOfPrompt(entries, 'turn_2', null)).toBe(2);
  });
});

describe('readTranscript', () => {
  it('reads what it wrote', () => {
    const entries = [prompt('turn_1'), called, results, said()];
    expect(readTranscript(JSON.parse(JSON.stringify(entries)) as unknown[])).toEqual({ entries, dropped: 0 });
  });

  it('begins with the first prompt after what cannot be read', () => {
    const raw = [prompt('turn_1'), { kind: 'odd' }, said(), prompt('turn_2'), said()];
    expect(readTranscript(raw)).toEqual({ entries: [prompt('turn_2'), said()], dropped: 3 });
  });

  it('begins with nothing where there is no such prompt', () => {
    expect(readTranscript([prompt('turn_1'), null, said()])).toEqual({ entries: [], dropped: 3 });
  });
});
