import { setTimeout as sleep } from 'node:timers/promises';

const LOOK_EVERY_MS = 100;

/** Waits until something is true. A look that fails is not true: a broker can be away. */
export async function until(
  what: string,
  condition: () => boolean | Promise<boolean>,
  withinMs = 180_000,
): Promise<void> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const found = await attempt(condition);
    if (found === true) return;
    if (performance.now() > deadline) throw new Error(`${what}: not within ${withinMs / 1_000} s${found}`);
    await sleep(LOOK_EVERY_MS);
  }
}

async function attempt(condition: () => boolean | Promise<boolean>): Promise<true | string> {
  try {
    return (await condition()) || '';
  } catch (error) {
    return ` (${String(error)})`;
  }
}
