import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Header } from '../kept-headers.ts';
import type { Call, Calls } from './response-calls.ts';
import { headersOf, type StatusLine, takeHead } from './response-head.ts';

/** The head of a response that is held back. Once it is written it counts as sent. */
export class HeldHead {
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #onSent: () => void;
  #line: StatusLine | undefined;

  constructor(request: IncomingMessage, response: ServerResponse, onSent: () => void) {
    this.#request = request;
    this.#response = response;
    this.#onSent = onSent;
  }

  get isSent(): boolean {
    return this.#line !== undefined;
  }

  /** The status that counts. */
  get status(): number {
    return this.#line?.status ?? this.#response.statusCode;
  }

  get headers(): Header[] {
    return headersOf(this.#response);
  }

  /** Whether the response can have a body. Node breaks off a stream of HTTP/2 that has one all the same. */
  get hasBody(): boolean {
    return this.#request.method !== 'HEAD' && this.status !== 204 && this.status !== 304;
  }

  /** What is called in place of the methods of the response. */
  calls(own: Calls) {
    const unlessSent =
      (call: Call, change: string): Call =>
      (args) => {
        if (this.isSent) throw headersSent(change);
        return call(args);
      };
    const writeHead = unlessSent((args) => {
      this.#line = takeHead(this.#request, this.#response, args);
      this.#onSent();
      return this.#response;
    }, 'write');
    return {
      _implicitHeader: () => {
        this.commit();
      },
      appendHeader: unlessSent(own.appendHeader, 'append'),
      removeHeader: unlessSent(own.removeHeader, 'remove'),
      setHeader: unlessSent(own.setHeader, 'set'),
      setHeaders: unlessSent(own.setHeaders, 'set'),
      writeHead,
      writeHeader: writeHead,
    };
  }

  /** As Node does before the first bytes, so that what is put before `writeHead` is asked. */
  commit(): void {
    if (!this.isSent) this.#response.writeHead(this.#response.statusCode);
  }

  /** Undoes what was assigned since it counts as sent. */
  restore(): void {
    if (this.#line === undefined) return;
    this.#response.statusCode = this.#line.status;
    if (this.#line.message !== undefined) this.#response.statusMessage = this.#line.message;
  }

  /** Forgets its message, for another response in place of this one. */
  forget(): void {
    if (this.#line?.message !== undefined) this.#response.statusMessage = '';
  }
}

/** What Node throws when a head that is sent is changed. */
function headersSent(change: string): Error {
  const error = new Error(`Cannot ${change} headers after they are sent to the client`);
  return Object.assign(error, { code: 'ERR_HTTP_HEADERS_SENT' });
}
