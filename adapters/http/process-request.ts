import { type Kernel, UnlistedError } from '../../src/adapter-kit.ts';
import { type Attempt, RetryableError } from '../../src/index.ts';
import { type Answer, answerOf, type Produced, type Ran } from './answer.ts';
import { BodyTooLargeError } from './body-too-large-error.ts';
import { deadlineOf } from './deadline.ts';
import { readKeyHeader } from './key-header.ts';
import type { HttpAttempt } from './options.ts';
import { problem, type ProblemName } from './problem.ts';
import { contentOf, type Processor } from './processor.ts';
import { callerIn, recordKey } from './record-key.ts';
import { isOfClient } from './released-status.ts';
import type { StoredResponse } from './stored-response.ts';

/** A request, whatever server received it. */
export interface ReceivedRequest<Own> {
  readonly method: string;
  /** The function of this package that got it. */
  readonly subject: string;
  /** Path and query, as they were sent. */
  readonly target: string;
  /** Undefined without the header `Idempotency-Key`. */
  readonly keyHeader: string | undefined;
  /** As the functions of the options get it. */
  readonly request: unknown;
  /** Asks the `principal` function. */
  readonly principal: () => unknown;
  /** Throws `BodyTooLargeError`. */
  readonly readBody: () => Promise<Buffer>;
  /**
   * Runs the handler, until `over` aborts: then a response that has begun is refused, and it rejects where none has.
   */
  readonly run: (attempt: HttpAttempt, over: AbortSignal, ...extra: unknown[]) => Promise<Produced<Own>>;
  /** Whether the handler has begun to answer. */
  readonly hasBegun: () => boolean;
  /**
   * Called with what the handler answered where its client does not get that, and at the end in any case where its
   * client was answered before its handler had begun to.
   */
  readonly discard: (own: Own | undefined) => void;
}

/** Answers a request: by its handler, from its record, or with a problem. It never throws. */
export async function processRequest<Own>(
  processor: Processor,
  received: ReceivedRequest<Own>,
): Promise<Answer<Own>> {
  const kernel = processor.kernels.get(received.method);
  if (kernel === undefined) {
    return processor.inTransaction ? notAllowed(processor) : { kind: 'pass' };
  }
  const { answer, key } = await answerIn(processor, kernel, received);
  emit(processor, kernel.settings.scope, key, answer);
  return answer;
}

interface Answered<Own> {
  readonly answer: Answer<Own>;
  /** Of the record. */
  readonly key?: string;
}

async function answerIn<Own>(
  processor: Processor,
  kernel: Kernel,
  received: ReceivedRequest<Own>,
): Promise<Answered<Own>> {
  const { required, strict } = processor.settings;
  const header = readKeyHeader(received.keyHeader, strict);
  if (header.kind === 'malformed') return { answer: refusal('malformed-key') };
  if (header.kind === 'absent') return { answer: required ? refusal('missing-key') : { kind: 'pass' } };
  let caller: readonly string[] | null | undefined;
  let body: Buffer;
  try {
    caller =
      processor.settings.principal === null ? null : callerIn(received.subject, await received.principal());
    if (caller === undefined) return { answer: refusal('no-principal') };
    body = await received.readBody();
  } catch (error) {
    if (error instanceof BodyTooLargeError) return { answer: refusal('body-too-large') };
    return { answer: { kind: 'threw', type: 'threw', error } };
  }
  const key = recordKey(caller, header.key);
  const operation = { key, requestKey: header.key, body };
  return { key, answer: await handleOperation(processor, kernel, received, operation) };
}

interface Operation {
  readonly key: string;
  readonly requestKey: string;
  readonly body: Buffer;
}

/** Resolves at the timeout of a handler that has not begun to answer; that goes on. */
async function handleOperation<Own>(
  processor: Processor,
  kernel: Kernel,
  received: ReceivedRequest<Own>,
  operation: Operation,
): Promise<Answer<Own>> {
  return await new Promise((resolve) => {
    const { inTransaction, settings, timeoutMs } = processor;
    let ran: Ran<Own> = {};
    let isLate = false;
    let isHandled = false;
    const discard = ({ produced }: Ran<Own>): void => {
      if (produced !== undefined) received.discard(produced.own);
    };
    const handler = handlerOf(processor, received, operation.requestKey, {
      onRan(latest) {
        // A transaction that lost a conflict runs again; one that was given up can go on.
        discard(isHandled ? latest : ran);
        ran = latest;
      },
      onTimeout() {
        isLate = true;
        const { retryAfterSeconds } = settings;
        resolve({ kind: 'problem', problem: problem('timed-out', { retryAfterSeconds }) });
      },
    });
    const read = () => ({
      ...contentOf(processor, received.target, operation.body, received.request),
      ...{ key: operation.key, waitMs: settings.waitMs, timeoutMs, handler },
    });
    void kernel.handle(read).then((handled) => {
      isHandled = true;
      if (isLate) {
        received.discard(ran.produced?.own);
        return;
      }
      const answer = answerOf(handled, ran, { ...settings, inTransaction });
      resolve(answer);
      if (answer.kind !== 'own') discard(ran);
    });
  });
}

interface Watcher<Own> {
  readonly onRan: (ran: Ran<Own>) => void;
  /** Of a handler that has not begun to answer. */
  readonly onTimeout: () => void;
}

/** The handler as the engine runs it. */
function handlerOf<Own>(
  { clock, graceMs }: Processor,
  received: ReceivedRequest<Own>,
  requestKey: string,
  { onRan, onTimeout }: Watcher<Own>,
) {
  return async function handler(_: unknown, attempt: Attempt, ...extra: unknown[]): Promise<StoredResponse> {
    onRan({});
    const { hasBegun } = received;
    const deadline = deadlineOf(attempt.signal, { clock, graceMs, hasBegun, onTimeout });
    let produced: Produced<Own>;
    try {
      produced = await received.run(Object.assign(attempt, { requestKey }), deadline.over, ...extra);
    } catch (error) {
      onRan({ thrown: { error } });
      throw error;
    } finally {
      deadline.stop();
    }
    onRan({ produced });
    if (produced.stored !== undefined) return produced.stored;
    const Release = isOfClient(produced.status) ? UnlistedError : RetryableError;
    throw new Release(`the handler answered ${produced.status}, which is not stored`);
  };
}

function refusal(name: ProblemName): Answer<never> {
  return { kind: 'problem', problem: problem(name) };
}

function notAllowed({ settings }: Processor): Answer<never> {
  const headers = [['allow', settings.methods.join(', ')]] as const;
  return { kind: 'problem', problem: problem('method-not-allowed', { headers }) };
}

function emit({ events }: Processor, scope: string, key: string | undefined, answer: Answer<unknown>): void {
  const request = { scope, key };
  switch (answer.kind) {
    case 'pass':
      events.emit({ type: 'passed', ...request, status: undefined });
      return;
    case 'own':
      events.emit({ type: answer.type, ...request, status: answer.status });
      return;
    case 'replay':
      events.emit({ type: 'replayed', ...request, status: answer.stored.status });
      return;
    case 'threw':
      events.emit({ type: answer.type, ...request, status: undefined, error: answer.error });
      return;
    case 'problem': {
      const { problem: shown, error } = answer;
      const why = error === undefined ? {} : { error };
      events.emit({ type: shown.name, ...request, status: shown.status, ...why });
    }
  }
}
