/**
 * Letters of other scripts that look like a letter of a status word or of a hedge. Written as code
 * points, since the letters themselves could not be told apart here. Source: Unicode confusables (UTS #39), the
 * part that people and models meet: Greek, Cyrillic, Armenian, Cherokee, small capitals.
 */
const lookAlikes = {
  A: '\u0391\u0410\u13AA\u1D00',
  B: '\u0392\u0412\u13F4\u0299',
  C: '\u03F9\u0421\u13DF\u1D04',
  D: '\u13A0\u1D05\u15DE\u15EA',
  E: '\u0395\u0415\u13AC\u1D07',
  G: '\u050C\u13C0\u0262',
  H: '\u0397\u041D\u13BB\u029C',
  I: '\u0399\u0406\u04C0\u026A',
  K: '\u039A\u041A\u13E6\u1D0B\u212A',
  L: '\u13DE\u029F',
  M: '\u039C\u041C\u13B7\u1D0D',
  N: '\u039D\u0274',
  O: '\u039F\u041E\u0555\u1D0F',
  P: '\u03A1\u0420\u13E2\u1D18',
  R: '\u13A1\u0280',
  S: '\u0405\u054F\u13DA',
  T: '\u03A4\u0422\u13A2\u1D1B',
  U: '\u054D\u1D1C',
  V: '\u0474\u13D9\u1D20',
  W: '\u051C\u13B3\u1D21',
  X: '\u03A7\u0425',
  a: '\u03B1\u0430',
  c: '\u03F2\u0441',
  d: '\u0501',
  e: '\u0435\u04BD',
  g: '\u0261',
  h: '\u04BB',
  i: '\u03B9\u0456\u0131',
  k: '\u03BA\u043A',
  l: '\u04CF',
  m: '\u043C',
  n: '\u0578\u03B7',
  o: '\u03BF\u043E\u0585',
  p: '\u03C1\u0440',
  r: '\u0433',
  s: '\u0455\u017F',
  t: '\u0442\u03C4',
  u: '\u057D\u03C5',
  v: '\u03BD\u0475',
  w: '\u051D\u0461',
} as const;

const latinFor: ReadonlyMap<string, string> = new Map(
  Object.entries(lookAlikes).flatMap(([latin, others]) =>
    Array.from(others).map((other) => [other, latin] as const),
  ),
);

/**
 * How a text looks to a person who reads quickly: full-width, circled and mathematical letters, accents and
 * strokes, and look-alikes of other scripts all as plain Latin. Only for finding doubt, never for reading a word.
 */
export function asItLooks(text: string): string {
  if (!/[^ -~]/.test(text)) return text;
  const plain = text.normalize('NFKD').replace(/\p{M}/gu, '');
  return plain.replace(/[^A-Za-z\s]/g, (letter) => latinFor.get(letter) ?? letter);
}
