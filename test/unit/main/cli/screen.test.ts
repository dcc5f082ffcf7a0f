import pico from 'picocolors';
import { describe, expect, it } from 'vitest';
import { Screen } from '../../../../src/main/cli/screen.ts';

function screenWith(columns: number | null, json = false) {
  const written = { out: '', problems: '' };
  const streams = {
    out: (text: string) => (written.out += text),
    problems: (text: string) => (written.problems += text),
    columns: () => columns,
  };
  return { screen: new Screen(streams, pico.createColors(false), json), written };
}

describe('Screen', () => {
  it('keeps the status line under what is told', () => {
    const { screen, written } = screenWith(80);
    screen.status('working');
    screen.tell(['news']);
    screen.status(null);
    expect(written.out).toBe('\r\u001b[2Kworking\r\u001b[2Knews\nworking\r\u001b[2K');
  });

  it('writes no control characters where there is no terminal', () => {
    const { screen, written } = screenWith(null);
    screen.status('working');
    screen.tell(['news']);
    screen.fail({ tag: 'x', message: 'It broke.', next: 'Mend it.' });
    expect(written).toEqual({ out: 'news\n', problems: 'Error: It broke.\nMend it.\n' });
  });

  it('keeps standard output for the one document with json', () => {
    const { screen, written } = screenWith(80, true);
    screen.status('working');
    screen.tell(['news']);
    screen.result({ a: 1 }, () => ['for people']);
    expect(written).toEqual({ out: '{"a":1}\n', problems: 'news\n' });
  });

  it('gives a failure as a document too', () => {
    const { screen, written } = screenWith(null, true);
    screen.fail({ tag: 'x', message: 'It broke.' });
    expect(JSON.parse(written.out)).toEqual({ error: { tag: 'x', message: 'It broke.' } });
  });

  it('cuts a status line that would wrap', () => {
    const { screen, written } = screenWith(10);
    screen.status('x'.repeat(50));
    expect(written.out).toBe(`\r\u001b[2K${'x'.repeat(8)}…`);
  });
});
