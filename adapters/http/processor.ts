import {
  type FingerprintOptions,
  kernelOf,
  createAdapterEvents,
  createTrial,
  fingerprintOf,
  clockOf,
  hasFingerprintChoice,
} from '../../src/adapter-kit.ts';
import { InvalidOptionsError } from '../../src/index.ts';
import { namesToKeep } from './kept-headers.ts';
import { type HttpSettings, scopeOf } from './options.ts';

/**
 * A client waits for the answer: what is released can run again at once, however often it was. Deaths are bounded
 * still, since a request that kills its server has to end.
 */
const HTTP_RETRIES = { maxAttempts: Infinity, backoff: () => 0 };

/** Of requests where `createHandleOnce` has none: a handler of middleware can end without an answer. */
const DEFAULT_TIMEOUT_MS = 60_000;

/** What all requests of an operation share. */
export function createProcessor(subject: string, settings: HttpSettings, inTransaction: boolean) {
  const base = settings.handleOnce.withRetries(HTTP_RETRIES);
  const kernels = settings.methods.map((method) => {
    const handleOnce = base.inScope(scopeOf(method, settings.route));
    return [method, kernelOf({ subject, handleOnce, inTransaction })] as const;
  });
  const { leaseMs, maxResultBytes, storeResult, timeoutMs } = base.settings;
  return {
    settings,
    inTransaction,
    /** By method: each has its own scope. */
    kernels: new Map(kernels),
    fingerprint: onTrial(hasFingerprintChoice(settings) ? settings : base.settings),
    keptHeaders: namesToKeep(settings.keptHeaders),
    /** Bytes of JSON that a record can keep of a response. */
    maxStoredBytes: storeResult ? maxResultBytes : 0,
    /** Of a handler. Undefined leaves it to the transaction. */
    timeoutMs: timeoutMs ?? (inTransaction ? undefined : DEFAULT_TIMEOUT_MS),
    /** How long a handler may go on after its timeout, before its record is free. */
    graceMs: leaseMs,
    clock: clockOf(base),
    events: createAdapterEvents(settings),
  };
}

export type Processor = ReturnType<typeof createProcessor>;

/** A plain mistake in the function is answered as one of the server until the function has worked once. */
function onTrial(options: FingerprintOptions<never, never>): FingerprintOptions<never, never> {
  const { fingerprint: choose, ignoredFields } = options;
  if (typeof choose !== 'function') return { fingerprint: choose, ignoredFields };
  const trial = createTrial('Requests are answered 500 until it works');
  return { fingerprint: trial.wrap('fingerprint', choose) };
}

/** What is compared: the path and query, and of the body what the options say. */
export function contentOf(
  { fingerprint }: Processor,
  target: string,
  body: Buffer,
  request: unknown,
): FingerprintOptions<never> & { readonly content: unknown } {
  if (fingerprint.fingerprint === false) return { fingerprint: false, content: undefined };
  const { fingerprint: choose, ignoredFields } = fingerprint;
  const ofBody =
    choose === undefined
      ? fingerprintOf({ ignoredFields })
      : fingerprintOf({ fingerprint: (bytes: never) => (choose as Choose)(bytes, request) });
  // An empty list compares the whole of it, whatever the options of handleOnce say.
  return { ignoredFields: [], content: [target, ofBody(body)] };
}

type Choose = (body: Buffer, request: unknown) => unknown;

/** The error of a request whose body cannot be read any more. */
export function bodyIsGone(subject: string, advice: string): InvalidOptionsError {
  const message = `has a body that was read before: ${advice}`;
  return new InvalidOptionsError(subject, [{ field: 'request', message }]);
}
