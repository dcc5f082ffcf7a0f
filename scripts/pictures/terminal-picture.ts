/** Sizes in pixels. */
const FONT_SIZE = 13;
const LINE_HEIGHT = 19;
const CHARACTER_WIDTH = 7.83;
const PADDING = 18;
const TITLE_HEIGHT = 34;

/** Longest line, in characters; longer ones are continued on the next. */
const COLUMNS = 118;

const colours = {
  ground: '#080c0e',
  bar: '#161c20',
  title: '#828a8f',
  text: '#dadfe1',
  dim: '#828a8f',
  owner: '#7dacf3',
  reviewer: '#de96d7',
  arbiter: '#e3c067',
  good: '#6ecc8a',
  caution: '#e3c067',
  stop: '#f07f77',
} as const;

type Tone = keyof typeof colours;

/** What a line is about decides its colour; the first match counts. */
const tones: readonly (readonly [RegExp, Tone])[] = [
  [/✗|failed|refused/, 'stop'],
  [/DONE_WITH_CONCERNS|finding|RECORDED/, 'caution'],
  [/^\d\d:\d\d:\d\d {2}Owner/, 'owner'],
  [/^\d\d:\d\d:\d\d {2}Reviewer/, 'reviewer'],
  [/^\d\d:\d\d:\d\d {2}Arbiter/, 'arbiter'],
  [/Done|✓/, 'good'],
];

/** A terminal window with these lines in it, as SVG text that can be selected and read aloud. */
export function terminalPicture(title: string, lines: readonly string[]): string {
  let speaker: Tone = 'text';
  const rows = lines.flatMap((line) => {
    const tone = line.includes('│') ? speaker : toneOf(line);
    if (tone === 'owner' || tone === 'reviewer' || tone === 'arbiter') speaker = tone;
    return wrapped(line, tone);
  });
  const width = Math.ceil(COLUMNS * CHARACTER_WIDTH + 2 * PADDING);
  const height = TITLE_HEIGHT + rows.length * LINE_HEIGHT + 2 * PADDING;
  const text = rows
    .map(({ line, tone }, index) => {
      const y = TITLE_HEIGHT + PADDING + (index + 0.75) * LINE_HEIGHT;
      return `<text x="${PADDING}" y="${y}" fill="${colours[tone]}" xml:space="preserve">${escaped(line)}</text>`;
    })
    .join('\n');
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escaped(title)} in a terminal" font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="${FONT_SIZE}">
<rect width="${width}" height="${height}" rx="10" fill="${colours.ground}"/>
<path d="M0 10a10 10 0 0 1 10-10h${width - 20}a10 10 0 0 1 10 10v${TITLE_HEIGHT - 10}H0z" fill="${colours.bar}"/>
<text x="${width / 2}" y="22" text-anchor="middle" fill="${colours.title}">${escaped(title)}</text>
${text}
</svg>
`;
}

function toneOf(line: string): Tone {
  return tones.find(([pattern]) => pattern.test(line))?.[1] ?? 'text';
}

function wrapped(line: string, tone: Tone): { line: string; tone: Tone }[] {
  const rows: { line: string; tone: Tone }[] = [];
  for (let from = 0; from === 0 || from < line.length; from += COLUMNS) {
    rows.push({ line: line.slice(from, from + COLUMNS), tone });
  }
  return rows;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
