import { createHandleOnce } from '../../../src/api/create-handle-once.ts';
import type { HandleOnce } from '../../../src/api/handle-once.ts';
import { StoreError } from '../../../src/words/errors.ts';
import { hasMethods } from '../../../src/options/parse-options.ts';
import type { RetryOptions } from '../../../src/options/retries.ts';
import { createMemoryStore } from '../../memory/memory.ts';
import type { Store } from '../../../src/store/store.ts';
import type { ScriptedDelivery, ScriptedMessage } from './script.ts';

/** What an adapter can have its broker do. What it cannot do is a row of the contract too. */
export interface AdapterAbilities {
  /** Keeps a message with us for longer while it is handled. */
  readonly extend: boolean;
  /** Says that a message is lost when it is to be kept longer. */
  readonly tellsLoss: boolean;
  /** Has a message delivered again after a time, or at once. */
  readonly retryLater: boolean;
  /** Sends a copy of a message that failed permanently, before it is acknowledged. */
  readonly deadLetter: boolean;
  /** Leaves a message that failed permanently with its broker, where no dead letters are asked for. */
  readonly keepFailed: boolean;
}

/** How to handle a delivery. */
export interface ContractSetup {
  /** With records of its own in memory, a lease of one second and a backoff of at most 20 ms. */
  readonly handleOnce: HandleOnce;
  /** To be run once for each message. It counts its runs, and can throw. */
  readonly handler: (payload: unknown) => Promise<unknown>;
  /** Stops the consumer. */
  readonly signal: AbortSignal;
  /** Milliseconds that the scripted broker waits for an acknowledgement or an extension: 2,000. */
  readonly ackWaitMs: number;
  /** Where a message goes that failed permanently. Undefined: it is kept, or acknowledged where it cannot be kept. */
  readonly deadLetter: ((message: ScriptedMessage) => Promise<void>) | undefined;
}

/** An adapter, as its contract uses it. */
export interface AdapterUnderTest {
  /** Decides what each case expects. */
  readonly can: AdapterAbilities;
  /** Handles one delivery with the adapter, whose client has the calls of the message. Resolves when that has ended. */
  readonly handle: (message: ScriptedMessage, setup: ContractSetup) => Promise<unknown>;
}

export const ACK_WAIT_MS = 2_000;
export const LEASE_MS = 1_000;

/** One adapter with records of its own. */
export function createBench(
  { handle }: AdapterUnderTest,
  work: () => unknown = () => undefined,
  backoff: RetryOptions['backoff'] = { baseMs: 10, maxMs: 20 },
) {
  const memory = createMemoryStore();
  let settlesMayGo: Promise<void> = Promise.resolve();
  let isCut = false;
  let areSettlesCut = false;
  let runs = 0;
  const store: Store = {
    ...memory,
    claim(requests, terms) {
      if (isCut) throw new StoreError('the scripted store is down', { retriable: true });
      return memory.claim(requests, terms);
    },
    async settle(requests, scope) {
      await settlesMayGo;
      if (areSettlesCut) throw new StoreError('the scripted store takes no settles', { retriable: true });
      return await memory.settle(requests, scope);
    },
  };
  const options = { store, scope: 'contract', leaseMs: LEASE_MS, backoff, onEvent: () => undefined };
  const stopping = new AbortController();
  const setup: ContractSetup = {
    handleOnce: createHandleOnce(options),
    async handler() {
      runs += 1;
      return await work();
    },
    signal: stopping.signal,
    ackWaitMs: ACK_WAIT_MS,
    deadLetter: undefined,
  };
  return {
    handled: () => runs,
    deliver(delivery: ScriptedDelivery, over?: Partial<ContractSetup>): Promise<unknown> {
      const ended = promiseOf(handle(delivery, { ...setup, ...over }));
      // A case that has failed before does not look at it.
      ended.catch(() => undefined);
      return ended;
    },
    /** Moves the store's clock forward. */
    advance: (milliseconds: number) => {
      memory.advance(milliseconds);
    },
    /** Stops the consumer: aborts its signal. */
    stop: () => {
      stopping.abort(new DOMException('the consumer stops', 'AbortError'));
    },
    /** Waits before each settle. */
    holdSettles: (passed: Promise<void>) => {
      settlesMayGo = passed;
    },
    /** From now on nothing can be settled. */
    cutSettles: () => {
      areSettlesCut = true;
    },
    /** From now on nothing can be claimed. */
    cutStore: () => {
      isCut = true;
    },
  };
}

export type Bench = ReturnType<typeof createBench>;

/** A case would look before the delivery has ended. */
function promiseOf(handled: unknown): Promise<unknown> {
  if (hasMethods(handled, ['then'])) return Promise.resolve(handled);
  throw new TypeError(
    'handle did not return a promise: have it return one that resolves when the delivery has ended',
  );
}
