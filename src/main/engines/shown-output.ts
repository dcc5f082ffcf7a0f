import type { TurnDesk } from '../ports/engine.ts';

/** Passes output on to who watches, up to a limit in characters: a flood would only push everything else away. */
export function shownOutput(desk: TurnDesk, id: string, maxCharacters: number): (data: string) => void {
  let left = maxCharacters;
  return (data) => {
    if (left <= 0) return;
    desk.report({ type: 'terminal_output', id, data: data.slice(0, left) });
    left -= data.length;
    if (left <= 0) desk.report({ type: 'notice', text: 'What is printed from here on is not shown.' });
  };
}
