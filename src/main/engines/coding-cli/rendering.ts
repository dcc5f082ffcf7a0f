import { stripVTControlCharacters } from 'node:util';
import { firstLine } from '../../../shared/kernel/text.ts';
import type { CliEvent } from './dialect.ts';
import { limits } from './limits.ts';

const DIM = '\u001b[2m';
const BOLD = '\u001b[1m';
const RED = '\u001b[31m';
const GREEN = '\u001b[32m';
const YELLOW = '\u001b[33m';
const PLAIN = '\u001b[0m';

/** The first line of a turn's terminal. */
export function renderStart(title: string, role: string, model: string | null): string {
  return `${BOLD}${harmless(`${title} · ${role}${model === null ? '' : ` · ${model}`}`)}${PLAIN}\n\n`;
}

/** How what a program says looks on the terminal of whoever watches; empty for what only the host needs to know. */
export function render(event: CliEvent): string {
  switch (event.kind) {
    case 'text':
      return `${harmless(event.text).trimEnd()}\n\n`;
    case 'tool_started':
      return `${BOLD}▸ ${harmless(event.tool)}${PLAIN} ${harmless(firstLine(event.summary, limits.summaryCharacters))}\n`;
    case 'tool_ended': {
      const answer = harmless(firstLine(event.answer, limits.summaryCharacters));
      const mark = event.ok ? `${GREEN}✓${PLAIN}` : `${RED}✗${PLAIN}`;
      return `  ${mark} ${DIM}${answer}${PLAIN}\n\n`;
    }
    case 'notice':
      return renderNotice(event.text);
    case 'failed':
      return `${RED}✗ ${harmless(event.problem.message)}${PLAIN}\n`;
    case 'session':
    case 'input_taken':
    case 'call_begun':
    case 'used':
    case 'answered':
      return '';
  }
}

/** Words of ours on the terminal. */
export function renderNotice(text: string): string {
  return `${YELLOW}· ${harmless(text)}${PLAIN}\n`;
}

/** A message of a person that reaches a running agent. */
export function renderFollowUp(text: string): string {
  return `${BOLD}▹ ${harmless(text)}${PLAIN}\n\n`;
}

/**
 * Without anything that a terminal would take for a command: all control characters (those of C1 too) but tab and
 * newline, and marks that change the direction of writing, which make a text look like another.
 */
export function harmless(text: string): string {
  return stripVTControlCharacters(text).replace(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, (sign) =>
    sign === '\n' || sign === '\t' ? sign : '',
  );
}
