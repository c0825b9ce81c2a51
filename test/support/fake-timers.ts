import { afterEach, beforeEach, vi } from 'vitest';

/** In each test of the calling file, or group, time passes as the test lets it. */
export function useFakeTimers(): void {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });
}
