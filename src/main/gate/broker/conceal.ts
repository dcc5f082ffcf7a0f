import type { Secret } from '../../../shared/kernel/secret.ts';

/** A text of upstream's without the key, should it repeat it. */
export function conceal(text: string, key: Secret): string {
  return text.replaceAll(key.expose(), key.toString());
}
