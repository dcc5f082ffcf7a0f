/** A part of the work, or of what a role is told, that it does not see: said in its prompt and in the record. */
export interface NotSeen {
  readonly what: string;
  /** Why, as part of a sentence. */
  readonly why: string;
}

/** So many are named one by one. */
const MAX_NAMED = 200;

/** Files that agents never see. */
export function secretShaped(path: string): NotSeen {
  return { what: path, why: 'left out because it looks like a secret' };
}

/** Each thing once, and no more than can be read. */
export function namedOnce(all: readonly NotSeen[]): readonly NotSeen[] {
  const once = [...new Map(all.map((one) => [`${one.what}\n${one.why}`, one])).values()];
  const left = once.length - MAX_NAMED;
  return left <= 0 ? once : [...once.slice(0, MAX_NAMED), { what: `${left} more`, why: 'too many to name' }];
}
