import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { discarded } from './discarded-calls.ts';
import { type Captured, type CaptureLimits, HeldResponse, type Progress } from './held-response.ts';
import { overrideProperty } from './overridden-property.ts';
import { type Front, putInFront } from './response-calls.ts';
import { watchSocket } from './watched-socket.ts';

/** Events of the end of a response. Node tells them when its client hangs up, `finish` over HTTP/2. */
const ENDS: ReadonlySet<unknown> = new Set(['close', 'finish']);

const SENT_OTHERWISE =
  'the handler sent its answer by other means than its response, such as response.stream, which cannot be recorded: ' +
  'use the methods of the response';

/** Holds back what a handler writes to a response, until that is on record. */
export class CapturedResponse {
  readonly #response: ServerResponse;
  /** What others had set before the handler ran. */
  readonly #headersBefore: OutgoingHttpHeaders;
  readonly #front: Front;
  readonly #held: HeldResponse;
  readonly #restores: readonly (() => void)[];
  /** Events that have been held back. */
  readonly #ends: (readonly unknown[])[] = [];

  constructor(request: IncomingMessage, response: ServerResponse, limits: CaptureLimits) {
    this.#response = response;
    this.#headersBefore = { ...response.getHeaders() };
    this.#front = putInFront(response);
    const held = new HeldResponse(request, response, this.#front.own, limits);
    this.#held = held;
    this.#front.use({ ...held.calls, emit: (args) => this.#emit(args) });
    const seen = {
      headersSent: () => held.head.isSent,
      writableEnded: () => held.progress.kind === 'ended',
      destroyed: () => held.progress.kind === 'closed',
      // That its client has hung up is told later.
      _closed: () => false,
    };
    this.#restores = [
      ...Object.entries(seen)
        .filter(([name]) => name in response)
        .map(([name, read]) => overrideProperty(response, name, read)),
      ...watchSocket(request, response, (close, reason) => {
        held.close(close, reason);
      }),
    ];
  }

  get captured(): Promise<Captured> {
    return this.#held.captured;
  }

  /** The status that counts. */
  get status(): number {
    return this.#held.head.status;
  }

  /** Sends what has been captured, and what is still to come. */
  sendOn(idempotencyStatus: string): void {
    this.#letGo();
    try {
      this.#send(idempotencyStatus);
    } catch (error) {
      // The client would wait for the rest.
      this.#response.destroy();
      throw error;
    }
    this.#tellEnds();
  }

  /** Sends something else. What the handler still writes goes nowhere. */
  replace(send: (response: ServerResponse) => void): void {
    const response = this.#response;
    this.#letGo();
    this.#held.head.forget();
    for (const name of response.getHeaderNames()) response.removeHeader(name);
    for (const [name, value] of Object.entries(this.#headersBefore)) {
      if (value !== undefined) response.setHeader(name, value);
    }
    send(response);
    this.#front.use(discarded(response, this.#front.own));
    this.#tellEnds();
  }

  #letGo(): void {
    this.#front.use(this.#front.own);
    for (const restore of this.#restores) restore();
  }

  #send(idempotencyStatus: string): void {
    const response = this.#response;
    const { body, head, progress } = this.#held;
    if (progress.kind === 'closed') {
      progress.close();
      return;
    }
    head.restore();
    if (!response.headersSent) response.setHeader('idempotency-status', idempotencyStatus);
    if (progress.kind === 'ended') {
      this.#sendWhole(progress);
    } else if (progress.kind === 'begun') {
      const begun = body.whole();
      if (begun.length > 0) this.#front.own.write([begun]);
      if (body.isFull) response.emit('drain');
    }
  }

  #sendWhole({ body, callback, close }: Extract<Progress, { kind: 'ended' }>): void {
    const { own } = this.#front;
    // Before Node takes the connection from the response.
    if (close !== undefined) this.#response.prependOnceListener('finish', close);
    // What is given to `end` has a length, which leaves no place for trailers.
    const isInChunks = this.#held.hasTrailers && body.length > 0;
    if (isInChunks) own.write([body]);
    own.end([...(isInChunks || body.length === 0 ? [] : [body]), callback]);
  }

  /** What is piped to a response stops at its `close`: a client that hangs up must not fail the handler. */
  #emit(args: readonly unknown[]): unknown {
    if (!ENDS.has(args[0])) return this.#front.own.emit(args);
    this.#ends.push(args);
    const isSent: unknown = Reflect.get(
      Object.getPrototypeOf(this.#response) as object,
      'headersSent',
      this.#response,
    );
    if (isSent === true) this.#held.close(() => undefined, new Error(SENT_OTHERWISE));
    return false;
  }

  #tellEnds(): void {
    for (const args of this.#ends) this.#front.own.emit(args);
  }
}
