import type { EventError } from '../../src/index.ts';
import type { ProblemName } from './problem.ts';

/**
 * What became of a request, in one word: the response has it as `Idempotency-Status`.
 *
 * May grow in a minor version: a `switch` needs a `default`.
 *
 * - `stored`: the handler answered, and a retry gets the same answer.
 * - `replayed`: it was answered from its record.
 * - `released`: the handler threw, or answered with a status that is not stored; a retry runs it again. Also an answer
 *   503 while the wait of a `RetryableError` runs, or where the COMMIT of its transaction was refused.
 * - `passed`: it has no key and needs none. Nothing was recorded.
 * - `unrecorded`, `lease-lost`: the handler answered, and that could not be put on record.
 * - `threw`: `principal` threw, or the body could not be read. Nothing was recorded.
 *
 * The others are the adapter's own answers, which the documentation lists.
 */
export type HttpEventType = 'passed' | 'replayed' | 'stored' | 'threw' | ProblemName;

/** The end of a request that its methods cover: each has exactly one. Bodies are never part of it. */
export interface HttpEvent {
  /** What became of it. */
  readonly type: HttpEventType;
  /** Of the record: `<scope>>http:<method> <route>`, percent-encoded. */
  readonly scope: string;
  /** Of the record, as in the events of `handleOnce`. Undefined when the request was refused before it had one. */
  readonly key: string | undefined;
  /** Of the answer. Undefined where an error was rethrown: what catches it answers. */
  readonly status: number | undefined;
  /** What was thrown by `handleOnce`, `principal` or the handler, or kept the body from being read. */
  readonly error?: EventError;
}
