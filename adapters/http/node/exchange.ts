import type { IncomingMessage, ServerResponse } from 'node:http';
import { describeThrown, onAbort } from '../../../src/adapter-kit.ts';
import type { Answer, Produced } from '../answer.ts';
import { keptOf } from '../kept-headers.ts';
import type { HttpAttempt } from '../options.ts';
import type { ReceivedRequest } from '../process-request.ts';
import type { Processor } from '../processor.ts';
import { refusedStream } from '../refused-stream.ts';
import { isReleased } from '../released-status.ts';
import { renderProblem } from '../render-problem.ts';
import { toStored } from '../stored-response.ts';
import { unrecordedAttempt } from '../unrecorded-attempt.ts';
import { setAttempt } from './attempt-of.ts';
import { CapturedResponse } from './captured-response.ts';
import { hasHungUp, holdOpen } from './hang-up.ts';
import { rawBodyOf } from './raw-body.ts';
import { sendWhole } from './send-whole.ts';

/** Sends what the handler answered, with how that ended. */
type Send = (idempotencyStatus: string) => void;

/** One request and its response. */
export class Exchange {
  readonly #subject: string;
  readonly #processor: Processor;
  readonly #request: IncomingMessage & { readonly originalUrl?: string };
  readonly #response: ServerResponse;
  readonly #next: (error?: unknown) => unknown;
  #capture: CapturedResponse | undefined;
  #letGo: (() => void) | undefined;
  /** Settles as `next` does. */
  #passed: Promise<void> | undefined;
  /** Resolves where `next` does. */
  readonly handled: Promise<void>;
  #handled: () => void = () => undefined;

  constructor(
    subject: string,
    processor: Processor,
    request: IncomingMessage,
    response: ServerResponse,
    next: (error?: unknown) => unknown,
  ) {
    this.#subject = subject;
    this.#processor = processor;
    this.#request = request;
    this.#response = response;
    this.#next = next;
    this.handled = new Promise((resolve) => {
      this.#handled = resolve;
    });
  }

  received(): ReceivedRequest<Send> {
    const request = this.#request;
    const { principal, maxRequestBytes } = this.#processor.settings;
    return {
      method: request.method ?? '',
      subject: this.#subject,
      // Express cuts off of `url` what the middleware is mounted at.
      target: request.originalUrl ?? request.url ?? '',
      keyHeader: request.headers['idempotency-key']?.toString(),
      request,
      principal: () => principal?.(request as never),
      readBody: () => rawBodyOf(this.#subject, request, maxRequestBytes),
      hasBegun: () => this.#capture?.hasBegun === true,
      run: (attempt, over) => this.#run(attempt, over),
      discard: () => {
        this.#capture?.discard();
      },
    };
  }

  async apply(answer: Answer<Send>): Promise<void> {
    this.#letGo?.();
    const { settings } = this.#processor;
    if (answer.kind === 'pass') {
      setAttempt(this.#request, unrecordedAttempt(settings));
      await this.#next();
      return;
    }
    if (this.#isAnswered()) return;
    switch (answer.kind) {
      case 'own':
        answer.own(answer.type);
        await this.#passed;
        return;
      case 'replay':
        sendWhole(this.#response, { ...answer.stored, body: answer.body }, 'replayed');
        return;
      case 'problem': {
        const send = (response: ServerResponse): void => {
          sendWhole(response, renderProblem(answer.problem, settings.docs), answer.problem.name);
        };
        if (this.#capture === undefined) send(this.#response);
        else this.#capture.sendBefore(send);
        await this.#passed;
        return;
      }
      case 'threw':
        if (this.#capture === undefined) await this.#next(errorOf(answer.error));
        // The handler may answer still: that reaches the client, and is not stored.
        if (this.#capture !== undefined) this.#sendOn(this.#capture, answer.type);
        await this.#passed;
    }
  }

  /** Who calls the middleware could not answer in place of it, and may not wait for it any more. */
  #sendOn(capture: CapturedResponse, type: string): void {
    try {
      capture.sendOn(type);
    } catch (error) {
      this.#processor.events.complain(
        'ANSWER_NOT_SENT',
        `an answer could not be sent, and its connection is closed: ${describeThrown(error)}`,
      );
    }
  }

  /** Whether another has answered before the handler ran, such as a timeout in front. */
  #isAnswered(): boolean {
    return this.#capture === undefined && this.#response.headersSent;
  }

  async #run(attempt: HttpAttempt, over: AbortSignal): Promise<Produced<Send>> {
    if (this.#isAnswered()) throw new Error('the request was answered before its handler could run');
    if (hasHungUp(this.#request)) throw new Error('the client hung up before its handler could run');
    this.#letGo = holdOpen(this.#request);
    const capture = new CapturedResponse(this.#request, this.#response, this.#processor.maxStoredBytes);
    this.#capture = capture;
    setAttempt(this.#request, attempt);
    await this.#untilAnswered(capture, over);
    return await this.#produce(capture);
  }

  /** Rejects with what `next` throws, and where nothing has begun when the handler is not waited for any more. */
  #untilAnswered(capture: CapturedResponse, over: AbortSignal): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const unsubscribe = onAbort(over, () => {
        if (capture.hasBegun) capture.refuse();
        else reject(over.reason as Error);
      });
      // First: what it throws after its answer does not count.
      void capture.captured.then(resolve).finally(unsubscribe);
      this.#passed = this.#passOn(capture);
      this.#passed.catch(reject);
    });
  }

  async #passOn(capture: CapturedResponse): Promise<void> {
    await this.#next();
    capture.isHandled = true;
    this.#handled();
  }

  async #produce(capture: CapturedResponse): Promise<Produced<Send>> {
    const { maxStoredBytes, keptHeaders } = this.#processor;
    const captured = await capture.captured;
    if (captured.kind === 'destroyed') throw captured.error;
    const { headers, status } = capture.head;
    const own: Send = (type) => {
      this.#sendOn(capture, type);
    };
    if (isReleased(status)) return { own, status, stored: undefined };
    if (captured.kind === 'streaming') {
      return refusedStream<Send>(this.#processor, (refusal) => (type) => {
        capture.replace((response) => {
          sendWhole(response, refusal, type);
        });
      });
    }
    const body = captured.kind === 'whole' ? captured.body : undefined;
    const kept = { status, headers: keptOf(headers, keptHeaders), body };
    return { own, status, stored: toStored(kept, maxStoredBytes) };
  }
}

/** `next` takes some values for no error, and `'route'` for a jump: the request would reach its handler. */
function errorOf(thrown: unknown): unknown {
  if (typeof thrown === 'object' && thrown !== null) return thrown;
  return new Error('principal threw a value that is not an Error: throw an Error', { cause: thrown });
}
