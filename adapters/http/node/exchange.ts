import type { IncomingMessage, ServerResponse } from 'node:http';
import { onAbort } from '../../../src/adapter-kit.ts';
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
import { headersOf } from './response-head.ts';
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
      run: (attempt) => this.#run(attempt),
    };
  }

  async tell(answer: Answer<Send>): Promise<void> {
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
      case 'problem':
        sendWhole(this.#response, renderProblem(answer.problem, settings.docs), answer.problem.name);
        return;
      case 'threw':
        if (this.#capture === undefined) await this.#next(errorOf(answer.error));
        // The handler may answer still: that reaches the client, and is not stored.
        this.#capture?.sendOn(answer.type);
        await this.#passed;
    }
  }

  /** Whether another has answered before the handler ran, such as a timeout in front. */
  #isAnswered(): boolean {
    return this.#capture === undefined && this.#response.headersSent;
  }

  async #run(attempt: HttpAttempt): Promise<Produced<Send>> {
    if (this.#isAnswered()) throw new Error('the request was answered before its handler could run');
    if (hasHungUp(this.#request)) throw new Error('the client hung up before its handler could run');
    this.#letGo = holdOpen(this.#request);
    const { settings, maxStoredBytes } = this.#processor;
    const waits = settings.streaming === 'buffer';
    const capture = new CapturedResponse(this.#request, this.#response, { maxBytes: maxStoredBytes, waits });
    this.#capture = capture;
    setAttempt(this.#request, attempt);
    await this.#untilAnswered(capture, attempt.signal);
    return await this.#produce(capture);
  }

  /** Rejects when the attempt is told to give up, since a handler may never answer; and with what `next` throws. */
  #untilAnswered({ captured }: CapturedResponse, signal: AbortSignal): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const unsubscribe = onAbort(signal, () => {
        reject(signal.reason as Error);
      });
      // First: what it throws after its answer does not count.
      void captured.then(resolve).finally(unsubscribe);
      this.#passed = this.#passOn();
      this.#passed.catch(reject);
    });
  }

  async #passOn(): Promise<void> {
    await this.#next();
  }

  async #produce(capture: CapturedResponse): Promise<Produced<Send>> {
    const { maxStoredBytes, keptHeaders } = this.#processor;
    const captured = await capture.captured;
    if (captured.kind === 'destroyed') throw captured.error;
    const { status } = capture;
    const own: Send = (type) => {
      capture.sendOn(type);
    };
    if (isReleased(status)) return { own, status, stored: undefined };
    if (captured.kind === 'streaming') {
      return refusedStream<Send>(this.#processor, (refusal) => (type) => {
        capture.replace((response) => {
          sendWhole(response, refusal, type);
        });
      });
    }
    const headers = keptOf(headersOf(this.#response), keptHeaders);
    const body = captured.kind === 'whole' ? captured.body : undefined;
    return { own, status, stored: toStored({ status, headers, body }, maxStoredBytes) };
  }
}

/** `next` takes some values for no error, and `'route'` for a jump: the request would reach its handler. */
function errorOf(thrown: unknown): unknown {
  if (typeof thrown === 'object' && thrown !== null) return thrown;
  return new Error('principal threw a value that is no error: throw an Error', { cause: thrown });
}
