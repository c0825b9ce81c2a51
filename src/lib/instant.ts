/**
 * A moment on both clocks of this machine.
 *
 * The monotonic one does not count the time that the machine was suspended; the wall clock does, and can be set.
 */
export interface Instant {
  readonly monotonicMs: number;
  readonly wallMs: number;
}

export function now(): Instant {
  return { monotonicMs: performance.now(), wallMs: Date.now() };
}

/** Milliseconds since then, by the clock that says more: what may have lapsed has lapsed. */
export function elapsedSince({ monotonicMs, wallMs }: Instant): number {
  return Math.max(performance.now() - monotonicMs, Date.now() - wallMs);
}
