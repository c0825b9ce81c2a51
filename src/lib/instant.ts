import type { Clock } from './clock.ts';

/**
 * A moment on both clocks of a machine.
 *
 * The monotonic one does not count the time that the machine was suspended; the wall clock does, and can be set.
 */
export interface Instant {
  readonly monotonicMs: number;
  readonly wallMs: number;
}

export function now(clock: Clock): Instant {
  return { monotonicMs: clock.monotonic(), wallMs: clock.wall() };
}

/** Milliseconds since then, by the clock that cannot be set. */
export function monotonicSince(clock: Clock, { monotonicMs }: Instant): number {
  return clock.monotonic() - monotonicMs;
}

/** Milliseconds since then, by the clock that shows more. */
export function elapsedSince(clock: Clock, { monotonicMs, wallMs }: Instant): number {
  return Math.max(clock.monotonic() - monotonicMs, clock.wall() - wallMs);
}
