import type { Verdict } from '../../../shared/vocabulary/words.ts';

/** What could be read from how a turn ended. Anything doubtful is `none`: no approval is ever inferred. */
export type Reading =
  | { readonly kind: 'verdict'; readonly verdict: Verdict; readonly via: 'tool' | 'text' }
  | { readonly kind: 'none'; readonly reason: string };
