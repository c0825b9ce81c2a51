import { fingerprint } from '../payload/fingerprint.ts';

/** Notes a payload before its handler runs, and says before another run whether that has changed it. */
export interface PayloadWatch {
  readonly note: () => void;
  readonly hasChanged: () => boolean;
}

/** `known`: its fingerprint, if the whole payload is compared. Only changes that JSON shows are found. */
export function watchPayload(payload: unknown, known: string | undefined): PayloadWatch {
  let before = known;
  return {
    note() {
      if (typeof payload === 'object' && payload !== null) before ??= fingerprintIn(payload);
    },
    hasChanged: () => before !== undefined && fingerprintIn(payload) !== before,
  };
}

/** Undefined for what cannot be compared. */
function fingerprintIn(payload: unknown): string | undefined {
  try {
    return fingerprint(payload);
  } catch {
    return undefined;
  }
}
