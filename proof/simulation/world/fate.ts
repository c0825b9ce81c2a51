import type { NetworkFault } from '../facts/names.ts';

/** What becomes of one call over the network. */
export interface Fate {
  /** Milliseconds until it takes effect. Undefined: it never does. */
  readonly landsAfterMs: number | undefined;
  /** What the caller gets. `silence`: nothing, ever. */
  readonly answer: 'reply' | 'error' | 'silence';
  /** Milliseconds until the caller has it, from the call. */
  readonly answersAfterMs: number;
  /** Undefined where all is well. */
  readonly fault: NetworkFault | undefined;
}
