import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import { type Head, HEADER_CHANGES, headersSent, takeHead } from './response-head.ts';
import { bytesOf, type Call, type Callback, callbackOf, callsOf, hasChunk } from './response-methods.ts';
import { watchSocket } from './watched-socket.ts';

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
const METHODS = [
  '_implicitHeader',
  'destroy',
  'emit',
  'end',
  'flushHeaders',
  'write',
  'writeHead',
  ...(Object.keys(HEADER_CHANGES) as (keyof typeof HEADER_CHANGES)[]),
] as const;

type Mode = 'capturing' | 'discarding' | 'through';

/**
 * Holds back what a handler writes to a response, until that is on record. To the handler it counts as sent.
 *
 * Its methods stay in front of those of the response: what has been put before them later, such as `on-headers`, must
 * not be cut off.
 */
export class CapturedResponse {
  readonly captured: Promise<Captured>;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #limits: CaptureLimits;
  readonly #original: Readonly<Record<(typeof METHODS)[number], Call>>;
  /** What others had set before the handler ran. */
  readonly #headersBefore: OutgoingHttpHeaders;
  readonly #chunks: Buffer[] = [];
  #resolve: (captured: Captured) => void = () => undefined;
  #mode: Mode = 'capturing';
  #size = 0;
  /** Once it counts as sent. */
  #head: Head | undefined;
  #isWatched = false;
  #state: 'destroyed' | 'ended' | 'open' = 'open';
  #isFull = false;
  #isClosed = false;
  #destroyedWith: [error?: unknown] | undefined;
  #whenEnded: Callback | undefined;
  readonly #unwatch: () => void;

  constructor(request: IncomingMessage, response: ServerResponse, limits: CaptureLimits) {
    this.#request = request;
    this.#response = response;
    this.#limits = limits;
    this.#original = callsOf(response, METHODS);
    this.#headersBefore = { ...response.getHeaders() };
    this.captured = new Promise((resolve) => {
      this.#resolve = resolve;
    });
    this.#takeOver();
    this.#unwatch = watchSocket([request, response], (args) => {
      this.#destroy(args);
    });
  }

  /** The status that counts. */
  get status(): number {
    return this.#head?.status ?? this.#response.statusCode;
  }

  /** Sends what has been captured, and what is still to come. */
  sendOn(idempotencyStatus: string): void {
    const response = this.#response;
    this.#goThrough();
    if (this.#state === 'destroyed') {
      this.#original.destroy(this.#destroyedWith ?? []);
      return;
    }
    if (this.#head !== undefined) {
      response.statusCode = this.#head.status;
      if (this.#head.message !== undefined) response.statusMessage = this.#head.message;
    }
    if (!response.headersSent) response.setHeader('idempotency-status', idempotencyStatus);
    const body = Buffer.concat(this.#chunks);
    if (this.#state === 'ended') {
      this.#destroyOnceSent();
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
    this.#goThrough();
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
        if (this.#mode === 'capturing') this.#takeHead(args);
        return response;
      },
      _implicitHeader: () => {
        if (this.#mode === 'capturing') this.#commit();
        else original._implicitHeader([]);
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
    for (const [name, change] of Object.entries(HEADER_CHANGES)) this.#takeOverChange(name, change);
    this.#pretend('headersSent', () => this.#head !== undefined);
    this.#pretend('writableEnded', () => this.#state !== 'open');
  }

  #takeOverChange(name: string, change: string): void {
    // HTTP/2 has not all of them.
    if (!(name in this.#response)) return;
    Object.assign(this.#response, {
      [name]: (...args: unknown[]) => {
        if (this.#mode === 'capturing' && this.#head !== undefined) throw headersSent(change);
        return this.#original[name as keyof typeof HEADER_CHANGES](args);
      },
    });
  }

  #goThrough(): void {
    this.#mode = 'through';
    this.#unwatch();
  }

  #takeHead(args: readonly unknown[]): void {
    if (this.#head !== undefined) throw headersSent('write');
    this.#head = takeHead(this.#request, this.#response, args);
  }

  /** As Node does before the first bytes, so that what is put before `writeHead` is asked. */
  #commit(): void {
    if (this.#head === undefined) this.#response.writeHead(this.#response.statusCode);
  }

  /** The connection of what was sent whole. */
  #destroyOnceSent(): void {
    const { socket } = this.#request;
    const error = this.#destroyedWith?.[0] as Error | undefined;
    if (this.#destroyedWith !== undefined) this.#response.once('finish', () => socket.destroy(error));
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
    const callback = callbackOf(args);
    if (this.#mode === 'capturing' && this.#state !== 'open') return this.#refuse(callback);
    if (this.#mode === 'capturing') {
      const bytes = bytesOf(this.#response, args);
      this.#begin();
      this.#add(bytes);
    }
    if (callback !== undefined) process.nextTick(callback);
    if (this.#mode === 'discarding') return true;
    if (this.#size > this.#limits.maxBytes) {
      this.#isFull = true;
      this.#resolve({ kind: 'too-large' });
    }
    return !this.#isFull;
  }

  #end(args: readonly unknown[]): ServerResponse {
    const response = this.#response;
    const callback = callbackOf(args);
    if (this.#mode === 'discarding') {
      if (callback !== undefined) process.nextTick(callback);
      return response;
    }
    if (this.#state !== 'open') {
      if (hasChunk(args)) this.#refuse(callback);
      else if (callback !== undefined) response.on('finish', callback);
      return response;
    }
    const bytes = hasChunk(args) ? bytesOf(response, args) : undefined;
    this.#commit();
    if (bytes !== undefined) this.#add(bytes);
    this.#state = 'ended';
    this.#whenEnded = callback;
    this.#resolve({ kind: 'whole', body: Buffer.concat(this.#chunks) });
    return response;
  }

  /** Of a write after the end. An `error` that has no listener would end the process before the record is written. */
  #refuse(callback: Callback | undefined): false {
    const response = this.#response;
    const error = Object.assign(new Error('write after end'), { code: 'ERR_STREAM_WRITE_AFTER_END' });
    process.nextTick(() => {
      callback?.(error);
      if (response.listenerCount('error') > 0) response.emit('error', error);
    });
    return false;
  }

  /** By the handler, or by what it pipes to its response, and not because its client has hung up. */
  #destroy(args: readonly unknown[]): void {
    if (this.#destroyedWith !== undefined) return;
    this.#destroyedWith = [args[0]];
    if (this.#state === 'ended') return;
    this.#state = 'destroyed';
    const error = args[0] instanceof Error ? args[0] : new Error('the handler destroyed its response');
    this.#resolve({ kind: 'destroyed', error });
  }

  #add(bytes: Buffer): void {
    this.#chunks.push(bytes);
    this.#size += bytes.length;
  }

  /** The first bytes are on their way. */
  #begin(): void {
    this.#commit();
    if (this.#isWatched || this.#limits.waits) return;
    this.#isWatched = true;
    void this.#refuseUnlessEnded();
  }

  /** Turns are counted, not time: a busy machine changes nothing. */
  async #refuseUnlessEnded(): Promise<void> {
    for (let turn = 0; turn < TURNS && this.#state === 'open'; turn += 1) await turnOfTheLoop();
    if (this.#state === 'open') this.#resolve({ kind: 'streaming' });
  }
}
