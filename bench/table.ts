import type { Figure } from './figure.ts';

/** The figures as lines of a table, widths fitted. */
export function tableOf(figures: readonly Figure[]): readonly string[] {
  const rows = [
    ['what', 'value', 'yardstick', 'ratio', 'bar', ''],
    ...figures.map((one) => [
      one.name,
      `${one.value} ${one.unit}`,
      typeof one.yardstick === 'string'
        ? one.yardstick
        : `${one.yardstick.value} ${one.unit}: ${one.yardstick.what}`,
      one.ratio === null ? '' : `${one.ratio}`,
      one.bar ?? '',
      one.bar === null ? '' : one.ok ? 'kept' : 'MISSED',
    ]),
  ];
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}
