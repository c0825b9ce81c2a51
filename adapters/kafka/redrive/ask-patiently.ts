import { setTimeout as sleep } from 'node:timers/promises';

const TRIES = 20;
const WAIT_MS = 500;

/**
 * Asks again what a broker can answer soon: one that has just started loads its groups. kafkajs does so for consumers,
 * and not for its admin client.
 */
export async function askPatiently<T>(ask: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await ask();
    } catch (error) {
      if (tries === TRIES || !isRetriable(error)) throw error;
    }
    await sleep(WAIT_MS);
  }
}

function isRetriable(error: unknown): boolean {
  return error instanceof Error && 'retriable' in error && error.retriable === true;
}
