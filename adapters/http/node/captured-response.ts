import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { discarded } from './discarded-calls.ts';
import type { HeldHead } from './held-head.ts';
import { type Captured, HeldResponse, type Progress } from './held-response.ts';
import { overrideProperty } from './overridden-property.ts';
import { type Call, type Calls, type Front, putInFront } from './response-calls.ts';
import { isSent, StandIn } from './stand-in.ts';
import { watchSocket } from './watched-socket.ts';

type Send = (response: ServerResponse) => void;

/** Events of the end of a response. Node emits them when the client hangs up, `finish` over HTTP/2. */
const ENDS: ReadonlySet<unknown> = new Set(['close', 'finish']);

const SENT_OTHERWISE =
  'the handler sent its answer by other means than its response, such as response.stream, which cannot be recorded: ' +
  'use the methods of the response';

/** Holds back what a handler writes to a response, until that is on record. */
export class CapturedResponse {
  /** What comes of it. */
  readonly captured: Promise<Captured>;
  /** Whether the handler has no more to do than to answer. */
  isHandled = false;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #maxBytes: number;
  /** What others had set before the handler ran. */
  readonly #headersBefore: OutgoingHttpHeaders;
  readonly #front: Front;
  #resolve: (captured: Captured) => void = () => undefined;
  #held: HeldResponse;
  /** What is called in place of the methods of the response. */
  #calls: Calls;
  #restores: readonly (() => void)[];
  /** Events that have been held back. */
  readonly #ends: (readonly unknown[])[] = [];
  #isFinished = false;

  constructor(request: IncomingMessage, response: ServerResponse, maxBytes: number) {
    this.#request = request;
    this.#response = response;
    this.#maxBytes = maxBytes;
    this.#headersBefore = { ...response.getHeaders() };
    this.captured = new Promise((resolve) => {
      this.#resolve = resolve;
    });
    this.#front = putInFront(response);
    this.#held = this.#hold(response, this.#front);
    this.#calls = { ...this.#held.calls, emit: (args) => this.#emit(args) };
    this.#front.use(this.#calls);
    this.#restores = this.#override();
  }

  get hasBegun(): boolean {
    return this.#held.hasBegun;
  }

  /** The status and the headers that count. */
  get head(): HeldHead {
    return this.#held.head;
  }

  /** Waits no more for the end of what has begun. */
  refuse(): void {
    this.#held.refuse();
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
    this.#emitEnds();
  }

  /** Sends something else. What the handler still writes goes nowhere. */
  replace(send: Send): void {
    this.#letGo();
    this.#held.head.forget();
    this.#sendInstead(send);
    this.#front.use(discarded(this.#response, this.#front.own));
    this.#emitEnds();
  }

  /** Sends something before the handler has begun. What that answers later is captured still. */
  sendBefore(send: Send): void {
    const standIn = new StandIn(this.#request, this.#response);
    this.#letGo();
    this.#sendInstead(send);
    this.#emitEnds();
    this.#held = this.#hold(standIn.response, standIn.front);
    const emit: Call = (args) => {
      if (args[0] === 'finish') this.#isFinished = true;
      return standIn.seen(() => this.#front.own.emit(args));
    };
    this.#calls = standIn.standFor(this.#response, { ...this.#held.calls, emit }, this.#front);
    this.#restores = this.#override();
  }

  /** Has what the handler still writes go nowhere. */
  discard(): void {
    this.#front.use(discarded(this.#response, this.#calls));
    if (this.#held.body.isFull) this.#response.emit('drain');
  }

  #hold(response: ServerResponse, { own }: Front): HeldResponse {
    return new HeldResponse(this.#request, response, own, this.#maxBytes, this.#resolve);
  }

  /** Has the handler see what it has done itself. */
  #override(): (() => void)[] {
    const response = this.#response;
    const isEnded = (): boolean => this.#held.progress.kind === 'ended';
    const seen: Record<string, (own: unknown) => unknown> = {
      headersSent: () => this.#held.head.isSent,
      writableEnded: isEnded,
      // Node's own: it asks when it sends.
      finished: (own) => (this.#isFinished ? isEnded() : own),
      writableFinished: (own) => this.#isFinished || own,
      destroyed: () => this.#held.progress.kind === 'closed',
      // The events of a client that hung up come later.
      _closed: () => false,
    };
    const closed = (close: () => void, reason: unknown): void => {
      this.#held.close(close, reason);
    };
    return [
      ...Object.entries(seen)
        .filter(([name]) => name in response)
        .map(([name, read]) => overrideProperty(response, name, read)),
      ...watchSocket(this.#request, response, closed, () => this.isHandled),
    ];
  }

  #letGo(): void {
    this.#front.use(this.#front.own);
    for (const restore of this.#restores) restore();
  }

  #sendInstead(send: Send): void {
    const response = this.#response;
    for (const name of response.getHeaderNames()) response.removeHeader(name);
    for (const [name, value] of Object.entries(this.#headersBefore)) {
      if (value !== undefined) response.setHeader(name, value);
    }
    send(response);
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
    if (isSent(this.#response)) this.#held.close(() => undefined, new Error(SENT_OTHERWISE));
    return false;
  }

  #emitEnds(): void {
    for (const args of this.#ends.splice(0)) this.#front.own.emit(args);
  }
}
