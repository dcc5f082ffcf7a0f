import { stripVTControlCharacters } from 'node:util';

/** How values are said on a terminal. */

const SECOND_MS = 1_000;
const MINUTE_SECONDS = 60;
const HOUR_SECONDS = 3_600;

/** Characters of an id that are shown where room is short: its random end, which tells ids apart best. */
const SHORT_ID_CHARACTERS = 8;

/** Such as `8 s`, `2 m 05 s`, `1 h 02 m`. */
export function durationWords(durationMs: number): string {
  const seconds = Math.max(0, Math.floor(durationMs / SECOND_MS));
  const twoDigits = (value: number): string => String(value).padStart(2, '0');
  if (seconds < MINUTE_SECONDS) return `${seconds} s`;
  const minutes = Math.floor(seconds / MINUTE_SECONDS);
  if (seconds < HOUR_SECONDS) return `${minutes} m ${twoDigits(seconds % MINUTE_SECONDS)} s`;
  return `${Math.floor(seconds / HOUR_SECONDS)} h ${twoDigits(minutes % MINUTE_SECONDS)} m`;
}

/** US dollars to the cent, and below ten cents to a hundredth of one. */
export function moneyWords(usd: number | null): string {
  if (usd === null) return 'price unknown';
  return `$${usd.toFixed(usd > 0 && usd < 0.1 ? 4 : 2)}`;
}

/** Such as `950 tokens`, `34.1 k tokens`, `1.25 M tokens`. */
export function tokenWords(tokens: number): string {
  if (tokens < 1_000) return `${tokens} tokens`;
  if (tokens < 999_950) return `${(tokens / 1_000).toFixed(1)} k tokens`;
  return `${(tokens / 1_000_000).toFixed(2)} M tokens`;
}

/** Local time of day, such as `14:03:09`. */
export function clockWords(at: number): string {
  return new Date(at).toTimeString().slice(0, 'HH:MM:SS'.length);
}

/** Local date and time to the minute, such as `2026-03-01 14:03`. */
export function dateWords(at: number): string {
  const date = new Date(at);
  const offsetMs = date.getTimezoneOffset() * MINUTE_SECONDS * SECOND_MS;
  return new Date(at - offsetMs).toISOString().slice(0, 'YYYY-MM-DDTHH:MM'.length).replace('T', ' ');
}

/** The end of an id, by which commands know it too. */
export function shortId(id: string): string {
  return id.slice(-SHORT_ID_CHARACTERS);
}

/** Text of agents and programs as it may be shown: nothing in it moves the cursor or changes colours. */
export function safeText(text: string): string {
  return stripVTControlCharacters(text)
    .replace(/\r\n?/g, '\n')
    .replace(/\t/g, '  ')
    .replace(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu, (control) =>
      control === '\n' ? control : '',
    );
}

const characters = new Intl.Segmenter();

/** Text on one line, cut to a number of characters. */
export function oneLine(text: string, maxCharacters: number): string {
  const line = safeText(text).replace(/\s+/g, ' ').trim();
  if (line.length <= maxCharacters) return line;
  const kept = Array.from(characters.segment(line), ({ segment }) => segment);
  return kept.length <= maxCharacters ? line : `${kept.slice(0, Math.max(0, maxCharacters - 1)).join('')}…`;
}

/** Lines under each other, each behind a margin. */
export function indented(text: string, margin = '  '): string[] {
  return safeText(text)
    .trim()
    .split('\n')
    .map((line) => (line.trim() === '' ? '' : margin + line.trimEnd()));
}
