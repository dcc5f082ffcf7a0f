/** What something else, measured in the same run, came to; or why there is nothing to hold a figure beside. */
export type Yardstick = { readonly what: string; readonly value: number } | `none, because ${string}`;

/** What a figure, or its ratio to the yardstick, has to keep to. */
export type Bar =
  | { readonly of: 'value'; readonly below: number }
  | { readonly of: 'ratio'; readonly atMost: number }
  | { readonly of: 'ratio'; readonly atLeast: number };

/** One line of `latest.json`. */
export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly yardstick: Yardstick;
  /** Value over yardstick; null without one. */
  readonly ratio: number | null;
  /** In words; null where the figure only informs. */
  readonly bar: string | null;
  readonly ok: boolean;
}

export interface Measured {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly yardstick: Yardstick;
  readonly bar?: Bar;
}

/** Holds what was measured beside its yardstick and its bar. */
export function figure({ name, value, unit, yardstick, bar }: Measured): Figure {
  const ratio = typeof yardstick === 'string' ? null : value / yardstick.value;
  const rounded = {
    value: round(value),
    yardstick: typeof yardstick === 'string' ? yardstick : { ...yardstick, value: round(yardstick.value) },
    ratio: ratio === null ? null : round(ratio),
  };
  if (bar === undefined) return { name, unit, ...rounded, bar: null, ok: true };
  if (bar.of === 'value') {
    return { name, unit, ...rounded, bar: `< ${bar.below} ${unit}`, ok: value < bar.below };
  }
  if (ratio === null) throw new Error(`"${name}" has a bar on its ratio, and no yardstick.`);
  return 'atMost' in bar
    ? { name, unit, ...rounded, bar: `≤ ${bar.atMost} × yardstick`, ok: ratio <= bar.atMost }
    : { name, unit, ...rounded, bar: `≥ ${bar.atLeast} × yardstick`, ok: ratio >= bar.atLeast };
}

/** Three significant digits are more than any machine repeats. */
function round(value: number): number {
  return Math.abs(value) >= 1000 ? Math.round(value) : Number(value.toPrecision(3));
}

/** The value below which this share (0 to 1) of the values lies, by nearest rank. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  const value = sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)];
  if (value === undefined) throw new Error('There is no percentile of nothing.');
  return value;
}

export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}
