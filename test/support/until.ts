import { vi } from 'vitest';

/** Waits until something is true. */
export async function until(condition: () => unknown): Promise<void> {
  await vi.waitUntil(condition, { timeout: 30_000, interval: 20 });
}

/** Waits until something holds, and says what did not. */
export async function expectSoon<T>(check: () => T | Promise<T>): Promise<T> {
  return await vi.waitFor(check, { timeout: 30_000, interval: 50 });
}
