import type { IncomingMessage, ServerResponse } from 'node:http';
import { atEndOfTurn, isError } from '../../../src/adapter-kit.ts';
import { isEventStream } from '../refused-stream.ts';
import { HeldBody } from './held-body.ts';
import { HeldHead } from './held-head.ts';
import type { Calls } from './response-calls.ts';
import { bytesOf, type Callback, callbackOf, hasChunk, refuseWrite } from './writes.ts';

/** What came of a handler's response. */
export type Captured =
  | { readonly kind: 'whole'; readonly body: Buffer }
  /** More than can be kept. */
  | { readonly kind: 'too-large' }
  /** Of events, or without an end in time. */
  | { readonly kind: 'streaming' }
  /** The handler gave up its response. */
  | { readonly kind: 'destroyed'; readonly error: Error };

/** How far a handler has come with its response. */
export type Progress =
  | { readonly kind: 'open' }
  /** The first bytes are on their way. */
  | { readonly kind: 'begun' }
  /** `close` is how the handler has closed its connection afterwards. */
  | {
      readonly kind: 'ended';
      readonly body: Buffer;
      readonly callback: Callback | undefined;
      readonly close?: () => void;
    }
  /** The handler has closed its connection before the end. */
  | { readonly kind: 'closed'; readonly close: () => void };

const CLOSED = 'the handler closed its connection before the end of its response';

/** A response that is held back. To its handler it counts as sent. */
export class HeldResponse {
  readonly head: HeldHead;
  readonly body: HeldBody;
  /** What is called in place of the methods of the response. */
  readonly calls: Calls;
  progress: Progress = { kind: 'open' };
  hasTrailers = false;
  readonly #response: ServerResponse;
  readonly #resolve: (captured: Captured) => void;

  /** `captured` is called with what comes of it; only the first time counts. */
  constructor(
    request: IncomingMessage,
    response: ServerResponse,
    own: Calls,
    maxBytes: number,
    captured: (captured: Captured) => void,
  ) {
    this.#response = response;
    this.#resolve = captured;
    this.head = new HeldHead(request, response, () => {
      if (isEventStream(response.getHeader('content-type'))) this.refuse();
    });
    this.body = new HeldBody(maxBytes);
    this.calls = {
      ...own,
      ...this.head.calls(own),
      addTrailers: (args) => {
        own.addTrailers(args);
        this.hasTrailers = true;
      },
      destroy: ([error]) => {
        this.close(() => own.destroy([error]), error);
        return response;
      },
      end: (args) => this.#end(args),
      flushHeaders: () => {
        this.#begin();
      },
      write: (args) => this.#write(args),
    };
  }

  get hasBegun(): boolean {
    return this.head.isSent || this.progress.kind !== 'open';
  }

  /** Waits no more for its end. */
  refuse(): void {
    this.#resolve({ kind: 'streaming' });
  }

  /** By the handler, or by what it pipes to its response, and not because its client has hung up. */
  close(close: () => void, reason: unknown): void {
    const { progress } = this;
    if (progress.kind === 'closed') return;
    if (progress.kind === 'ended') {
      this.progress = { close, ...progress };
      return;
    }
    this.progress = { kind: 'closed', close };
    const error = isError(reason) ? reason : new Error(CLOSED);
    this.#resolve({ kind: 'destroyed', error });
  }

  #isOpen(): boolean {
    return this.progress.kind === 'open' || this.progress.kind === 'begun';
  }

  /** Returns false where the writer should wait for `drain`. */
  #write(args: readonly unknown[]): boolean {
    const callback = callbackOf(args);
    if (!this.#isOpen()) return refuseWrite(this.#response, this.progress.kind === 'ended', callback);
    const bytes = bytesOf(this.#response, args);
    this.#begin();
    this.body.add(bytes);
    if (callback !== undefined) atEndOfTurn(callback);
    if (!this.body.isFull) return true;
    this.#resolve({ kind: 'too-large' });
    return false;
  }

  #end(args: readonly unknown[]): ServerResponse {
    const response = this.#response;
    const callback = callbackOf(args);
    if (!this.#isOpen()) {
      if (hasChunk(args)) refuseWrite(response, this.progress.kind === 'ended', callback);
      else if (callback !== undefined) response.on('finish', callback);
      return response;
    }
    const bytes = hasChunk(args) ? bytesOf(response, args) : undefined;
    this.head.commit();
    if (bytes !== undefined) this.body.add(bytes);
    const body = this.head.hasBody ? this.body.whole() : Buffer.alloc(0);
    this.progress = { kind: 'ended', body, callback };
    this.#resolve({ kind: 'whole', body });
    return response;
  }

  /** Its first bytes are on their way. */
  #begin(): void {
    this.head.commit();
    if (this.progress.kind === 'open') this.progress = { kind: 'begun' };
  }
}
