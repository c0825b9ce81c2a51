import { setTimeout as sleep } from 'node:timers/promises';

/** What an adapter did with a delivery. */
export type Verb = 'acknowledge' | 'retry-later' | 'extend' | 'dead-letter';

/** A delivery of the scripted broker, in place of a message of the adapter's client. */
export interface ScriptedMessage {
  /** The message's own: the same at each delivery. */
  readonly id: string;
  /** JSON. */
  readonly body: string;
  /** Says that it is done with. */
  acknowledge(): Promise<void>;
  /** Have it delivered again, after these milliseconds. Without them: at once, or when the broker decides. */
  retryLater(delayMs?: number): Promise<void>;
  /** Keep it longer. Resolves with false when the message is lost. */
  extend(): Promise<boolean>;
}

/** One delivery, with a log of what was done with it. */
export class ScriptedDelivery implements ScriptedMessage {
  readonly id: string;
  readonly body: string;
  readonly log: Verb[] = [];
  /** What each retry was to wait. */
  readonly delaysMs: (number | undefined)[] = [];
  #isLost = false;
  #refusesAcknowledgement = false;

  constructor(id: string, body = '{"cents":100}') {
    this.id = id;
    this.body = body;
  }

  /** Another worker may have it now. */
  lose(): void {
    this.#isLost = true;
  }

  /** The call to acknowledge it fails: it stays with the broker. */
  refuseAcknowledgement(): void {
    this.#refusesAcknowledgement = true;
  }

  async acknowledge(): Promise<void> {
    await this.#note('acknowledge');
    if (this.#refusesAcknowledgement) throw new Error('the scripted broker does not answer');
  }

  retryLater(delayMs?: number): Promise<void> {
    this.delaysMs.push(delayMs);
    return this.#note('retry-later');
  }

  async extend(): Promise<boolean> {
    await this.#note('extend');
    return !this.#isLost;
  }

  async deadLetter(): Promise<void> {
    await this.#note('dead-letter');
  }

  /** Without the extensions. */
  get verbs(): Verb[] {
    return this.log.filter((verb) => verb !== 'extend');
  }

  #note(verb: Verb): Promise<void> {
    this.log.push(verb);
    return Promise.resolve();
  }
}

const PATIENCE_MS = 10_000;

/**
 * Resolves when the condition holds. Rejects when it does not within ten seconds, and with what `ended` rejects with.
 */
export async function until(what: string, condition: () => boolean, ended: Promise<unknown>): Promise<void> {
  const end = performance.now() + PATIENCE_MS;
  const failures: unknown[] = [];
  ended.catch((error: unknown) => failures.push(error));
  while (!condition()) {
    if (failures.length > 0) throw failures[0] as Error;
    if (performance.now() > end) throw new Error(`waited ${PATIENCE_MS} ms for: ${what}`);
    await sleep(5);
  }
}
