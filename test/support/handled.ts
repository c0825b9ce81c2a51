import {
  AbortedError,
  DamagedRecordError,
  type Failed,
  type FailedReason,
  InvalidKeyError,
  InvalidOptionsError,
  InvalidPayloadError,
  LeaseLostError,
  PayloadMismatchError,
  type Pending,
  type PendingReason,
  type ResultOmitted,
  RetryableError,
  SchemaError,
  StoreError,
  type Succeeded,
  TerminalError,
  UnhashablePayloadError,
} from 'handle-once';

/** All that `handleOnce` can say of a delivery, for the tables of what adapters do then. */

const attempts = 3;

const RESULTS_OMITTED = namesOf<ResultOmitted>({
  'not-serializable': true,
  'too-large': true,
  'not-stored': true,
  'refused-by-store': true,
});
const FAILED = namesOf<FailedReason>({
  terminal: true,
  'attempts-exhausted': true,
  'deaths-exhausted': true,
  'invalid-payload': true,
});
const PENDING = namesOf<PendingReason>({
  'in-flight': true,
  released: true,
  deferred: true,
  suspect: true,
  'lease-lost': true,
  unrecorded: true,
});

/** Of a type, all names that it has. */
function namesOf<Name extends string>(names: Record<Name, true>): readonly Name[] {
  return Object.keys(names) as Name[];
}

export function successes(replayed: boolean): Succeeded<unknown>[] {
  const base = { state: 'succeeded', replayed, attempts } as const;
  const without = RESULTS_OMITTED.map((resultOmitted) => ({ ...base, result: undefined, resultOmitted }));
  return [{ ...base, result: 1 }, ...without];
}

export function failures(replayed: boolean): Failed[] {
  const error = { name: 'Error', message: 'no' };
  return FAILED.map((reason) => ({ state: 'failed', replayed, attempts, reason, error }));
}

export function pendingOutcomes(retryAfterMs: number): Pending[] {
  return PENDING.map((reason) => ({ state: 'pending', reason, retryAfterMs, attempts }));
}

/** One of each error, and what no code should throw. */
export const THROWN = {
  mismatch: new PayloadMismatchError('scope', 'key'),
  'invalid key': new InvalidKeyError('key must not be empty'),
  'store unreachable': new StoreError('down', { retriable: true }),
  'store refused': new StoreError('no permission', { retriable: false }),
  'data refused': new StoreError('not in the encoding', { retriable: false, dataRefused: true }),
  'damaged record': new DamagedRecordError('scope', 'key', 'result'),
  'no tables': new SchemaError('no tables'),
  aborted: new AbortedError('stopping'),
  'invalid options': new InvalidOptionsError('handleOnce', []),
  'unhashable payload': new UnhashablePayloadError('a cycle'),
  'lost lease': new LeaseLostError('lapsed'),
  'terminal error': new TerminalError('thrown outside of a handler'),
  'retryable error': new RetryableError('thrown outside of a handler'),
  'invalid payload': new InvalidPayloadError('thrown outside of a handler'),
  bug: new TypeError('a bug'),
  text: 'not an error',
  nothing: undefined,
} as const;

export type Thrown = keyof typeof THROWN;
