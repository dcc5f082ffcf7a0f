/** A value of Codex's configuration, which it takes in TOML (https://toml.io/en/v1.0.0). */
export type TomlValue =
  string | number | boolean | readonly TomlValue[] | { readonly [key: string]: TomlValue };

/** One value, on one line. */
export function toml(value: TomlValue): string {
  if (typeof value === 'string') return text(value);
  if (typeof value !== 'object') return String(value);
  if (isList(value)) return `[${value.map(toml).join(', ')}]`;
  return `{${Object.entries(value)
    .map(([key, member]) => `${text(key)} = ${toml(member)}`)
    .join(', ')}}`;
}

/** JSON's escapes are TOML's too; but TOML escapes DEL, and knows no half of a surrogate pair. */
function text(value: string): string {
  return JSON.stringify(value.toWellFormed()).replaceAll('\u007f', '\\u007f');
}

function isList(value: object): value is readonly TomlValue[] {
  return Array.isArray(value);
}
