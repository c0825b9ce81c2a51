import type { KeptReason } from '../../src/adapter-kit.ts';
import type { Header } from './kept-headers.ts';

/** Why a request is answered by the adapter, and not by its handler or from its record. */
export type ProblemName =
  | Exclude<KeptReason, 'dead-letter-refused' | 'deferred'>
  | 'body-too-large'
  | 'malformed-key'
  | 'method-not-allowed'
  | 'missing-key'
  | 'no-principal'
  | 'not-kept'
  | 'streaming'
  | 'timed-out';

interface ProblemText {
  readonly status: number;
  readonly title: string;
  readonly detail: string;
}

const UNAVAILABLE = 'The request was not completed. Send it again, with the same Idempotency-Key.';

/** The one table of the answers that are the adapter's own. */
export const PROBLEMS: Readonly<Record<ProblemName, ProblemText>> = {
  'missing-key': {
    status: 400,
    title: 'Idempotency-Key is missing',
    detail:
      'This operation requires the request header Idempotency-Key: a value such as a UUID that is new for each ' +
      'operation, and the same when the operation is retried.',
  },
  'malformed-key': {
    status: 400,
    title: 'Idempotency-Key is malformed',
    detail: 'Send one Idempotency-Key header with 1 to 255 characters of visible ASCII in double quotes.',
  },
  'invalid-key': {
    status: 400,
    title: 'The request cannot be compared',
    detail: 'The body has no fingerprint, so a retry of the request could not be recognised.',
  },
  'no-principal': {
    status: 401,
    title: 'The caller is not known',
    detail: 'Idempotency keys belong to a caller, and the request does not say who sends it.',
  },
  'method-not-allowed': {
    status: 405,
    title: 'The method is not allowed',
    detail: 'This operation does not support this method.',
  },
  'in-flight': {
    status: 409,
    title: 'A request is outstanding for this Idempotency-Key',
    detail: 'A request with the same Idempotency-Key is being processed. Send it again later.',
  },
  'not-kept': {
    status: 410,
    title: 'The response was not kept',
    detail:
      'The request with this Idempotency-Key has been processed, and is not processed again. Its response was too ' +
      'large to keep, or responses are not kept here.',
  },
  'body-too-large': {
    status: 413,
    title: 'The body is too large',
    detail: 'Nothing was processed.',
  },
  mismatch: {
    status: 422,
    title: 'Idempotency-Key is already used',
    detail:
      'The Idempotency-Key was used for a request with another path, query or body. Use a new one for each operation.',
  },
  failed: {
    status: 500,
    title: 'The request has failed permanently',
    detail: 'The request with this Idempotency-Key has failed, and is not processed again.',
  },
  streaming: {
    status: 500,
    title: 'The response is a stream',
    detail: 'The request was processed. Its response is a stream, which this operation does not keep.',
  },
  'timed-out': {
    status: 503,
    title: 'The request takes too long',
    detail: 'The request is still being processed. Send it again later, with the same Idempotency-Key.',
  },
  error: {
    status: 500,
    title: 'The request could not be processed',
    detail: 'The server could not look up the Idempotency-Key.',
  },
  released: { status: 503, title: 'The request must wait', detail: UNAVAILABLE },
  suspect: { status: 503, title: 'The request must wait', detail: UNAVAILABLE },
  'lease-lost': { status: 503, title: 'The request was interrupted', detail: UNAVAILABLE },
  unrecorded: { status: 503, title: 'The request was interrupted', detail: UNAVAILABLE },
  aborted: { status: 503, title: 'The request was interrupted', detail: UNAVAILABLE },
  'store-error': { status: 503, title: 'The service is not available', detail: UNAVAILABLE },
};

/** An answer of the adapter's own. */
export interface Problem {
  readonly name: ProblemName;
  readonly status: number;
  /** Seconds for `Retry-After`, where it is known when another try can hope for more. */
  readonly retryAfterSeconds?: number | undefined;
  /** Of the response that the answer stands for, such as its `Location`. */
  readonly headers?: readonly Header[];
}

export function problem(name: ProblemName, more: Partial<Omit<Problem, 'name'>> = {}): Problem {
  return { name, status: PROBLEMS[name].status, ...more };
}
