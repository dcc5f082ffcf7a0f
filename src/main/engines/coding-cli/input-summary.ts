import { z } from 'zod';

/** Names under which tools take what people want to see first. */
const TELLING_NAMES = [
  'command',
  'file_path',
  'path',
  'pattern',
  'query',
  'url',
  'verdict',
  'description',
  'prompt',
];

const anyInput = z.record(z.string(), z.unknown());

/** What a tool is called with, for one line. */
export function inputSummary(input: unknown): string {
  const { data } = anyInput.safeParse(input);
  if (data === undefined) return '';
  for (const name of TELLING_NAMES) {
    const value = data[name];
    if (typeof value === 'string' && value !== '') return name === 'command' ? `$ ${value}` : value;
  }
  return Object.keys(data).length === 0 ? '' : JSON.stringify(data);
}
