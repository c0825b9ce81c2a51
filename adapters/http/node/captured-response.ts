import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import { type Call, callsOf, chunkOf, setHead } from './response-methods.ts';

/** What came of a handler's response. */
export type Captured =
  | { readonly kind: 'whole'; readonly body: Buffer }
  /** More than can be kept. */
  | { readonly kind: 'too-large' }
  /** It was begun, and not complete at once. */
  | { readonly kind: 'streaming' }
  /** The handler gave up its response. */
  | { readonly kind: 'destroyed'; readonly error: Error };

export interface CaptureLimits {
  readonly maxBytes: number;
  /** Whether a response that is not complete at once is waited for. */
  readonly waits: boolean;
}

/** Bytes in memory are written within a turn or two of the event loop. */
const TURNS = 10;

/** What the handler calls in place of those of the response. */
const METHODS = ['destroy', 'emit', 'end', 'flushHeaders', 'write', 'writeHead'] as const;

type Mode = 'capturing' | 'discarding' | 'through';

/**
 * Holds back what a handler writes to a response, until that is on record.
 *
 * Its methods stay in front of those of the response: what has been put before them later, such as `on-headers`, must
 * not be cut off.
 */
export class CapturedResponse {
  readonly captured: Promise<Captured>;
  readonly #response: ServerResponse;
  readonly #limits: CaptureLimits;
  readonly #original: Readonly<Record<(typeof METHODS)[number], Call>>;
  /** What others had set before the handler ran. */
  readonly #headersBefore: OutgoingHttpHeaders;
  readonly #chunks: Buffer[] = [];
  #resolve: (captured: Captured) => void = () => undefined;
  #mode: Mode = 'capturing';
  #size = 0;
  #isBegun = false;
  #isWatched = false;
  #isEnded = false;
  #isFull = false;
  #isClosed = false;
  #destroyedWith: [error?: unknown] | undefined;
  #whenEnded: (() => void) | undefined;

  constructor(response: ServerResponse, limits: CaptureLimits) {
    this.#response = response;
    this.#limits = limits;
    this.#original = callsOf(response, METHODS);
    this.#headersBefore = { ...response.getHeaders() };
    this.captured = new Promise((resolve) => {
      this.#resolve = resolve;
    });
    this.#takeOver();
  }

  /** Sends what has been captured, and what is still to come. */
  sendOn(idempotencyStatus: string): void {
    const response = this.#response;
    this.#mode = 'through';
    if (this.#destroyedWith !== undefined) {
      this.#original.destroy(this.#destroyedWith);
      return;
    }
    if (!response.headersSent) response.setHeader('idempotency-status', idempotencyStatus);
    const body = Buffer.concat(this.#chunks);
    if (this.#isEnded) {
      this.#original.end([...(body.length === 0 ? [] : [body]), this.#whenEnded]);
    } else if (body.length > 0) {
      this.#original.write([body]);
    }
    if (this.#isFull) response.emit('drain');
    if (this.#isClosed) response.emit('close');
  }

  /** Sends something else. What the handler still writes goes nowhere. */
  replace(send: (response: ServerResponse) => void): void {
    const response = this.#response;
    this.#mode = 'through';
    response.statusMessage = '';
    for (const name of response.getHeaderNames()) response.removeHeader(name);
    for (const [name, value] of Object.entries(this.#headersBefore)) {
      if (value !== undefined) response.setHeader(name, value);
    }
    send(response);
    this.#mode = 'discarding';
    if (this.#isClosed) response.emit('close');
  }

  #takeOver(): void {
    const response = this.#response;
    const original = this.#original;
    const through = (): boolean => this.#mode === 'through';
    Object.assign(response, {
      writeHead: (...args: unknown[]) => {
        if (through() || this.#isImplicit(args)) {
          return original.writeHead(args);
        }
        if (this.#mode === 'capturing') setHead(response, args);
        this.#isBegun = true;
        return response;
      },
      write: (...args: unknown[]) => (through() ? original.write(args) : this.#write(args)),
      end: (...args: unknown[]) => (through() ? original.end(args) : this.#end(args)),
      flushHeaders: () => {
        if (through()) original.flushHeaders([]);
        else this.#begin();
      },
      destroy: (...args: unknown[]) => {
        if (through()) original.destroy(args);
        else if (this.#mode === 'capturing') this.#destroy(args);
        return response;
      },
      // What is piped to a response stops at its `close`: a client that hangs up must not fail the handler.
      emit: (...args: unknown[]) => {
        if (args[0] !== 'close' || this.#mode !== 'capturing') {
          return original.emit(args);
        }
        this.#isClosed = true;
        return false;
      },
    });
    this.#pretend('headersSent', () => this.#isBegun);
    this.#pretend('writableEnded', () => this.#isEnded);
  }

  /** How Node itself writes the head of what was sent in place of the handler's response, which can take a while. */
  #isImplicit(args: readonly unknown[]): boolean {
    return this.#mode === 'discarding' && args.length === 1 && args[0] === this.#response.statusCode;
  }

  /** Code that asks whether it has answered is told so before that is sent. */
  #pretend(name: 'headersSent' | 'writableEnded', value: () => boolean): void {
    const response = this.#response;
    const own = (): unknown => Reflect.get(Object.getPrototypeOf(response) as object, name, response);
    Object.defineProperty(response, name, {
      configurable: true,
      get: () => (this.#mode === 'capturing' ? value() : own()),
    });
  }

  /** Returns false where the writer should wait for `drain`. */
  #write(args: readonly unknown[]): boolean {
    const { bytes, callback } = chunkOf(args);
    if (callback !== undefined) process.nextTick(callback);
    if (this.#isEnded || this.#mode === 'discarding') return true;
    this.#add(bytes);
    this.#begin();
    if (this.#size > this.#limits.maxBytes) {
      this.#isFull = true;
      this.#resolve({ kind: 'too-large' });
    }
    return !this.#isFull;
  }

  #end(args: readonly unknown[]): ServerResponse {
    const { bytes, callback } = chunkOf(args);
    if (this.#isEnded || this.#mode === 'discarding') {
      if (callback !== undefined) process.nextTick(callback);
      return this.#response;
    }
    this.#add(bytes);
    this.#isBegun = true;
    this.#isEnded = true;
    this.#whenEnded = callback;
    this.#resolve({ kind: 'whole', body: Buffer.concat(this.#chunks) });
    return this.#response;
  }

  /** By the handler, or by what it pipes to its response, and not because its client has hung up. */
  #destroy(args: readonly unknown[]): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#destroyedWith = [args[0]];
    const error = args[0] instanceof Error ? args[0] : new Error('the handler destroyed its response');
    this.#resolve({ kind: 'destroyed', error });
  }

  #add(bytes: Buffer | undefined): void {
    if (bytes === undefined) return;
    this.#chunks.push(bytes);
    this.#size += bytes.length;
  }

  /** The first bytes are on their way. */
  #begin(): void {
    this.#isBegun = true;
    if (this.#isWatched || this.#limits.waits) return;
    this.#isWatched = true;
    void this.#refuseUnlessEnded();
  }

  /** Turns are counted, not time: a busy machine changes nothing. */
  async #refuseUnlessEnded(): Promise<void> {
    for (let turn = 0; turn < TURNS && !this.#isEnded; turn += 1) await turnOfTheLoop();
    if (!this.#isEnded) this.#resolve({ kind: 'streaming' });
  }
}
