import { type IncomingMessage, ServerResponse } from 'node:http';
import { type Calls, type Front, putInFront } from './response-calls.ts';

/**
 * A response that is never sent, with the head of another: it takes the answer of a handler when its client already
 * has one.
 */
export class StandIn {
  readonly response: ServerResponse;
  readonly front: Front;
  /** Whether the response that was sent is seen as what it is. */
  #isSeen = false;

  constructor(request: IncomingMessage, like: ServerResponse) {
    this.response = new ServerResponse(request);
    this.response.statusCode = like.statusCode;
    for (const [name, value] of Object.entries(like.getHeaders())) {
      if (value !== undefined) this.response.setHeader(name, value);
    }
    this.front = putInFront(this.response);
  }

  /**
   * Stands in for a response that has been sent. `taken` are the calls that take what the handler answers. Returns what
   * is called in place of the methods of both.
   */
  standFor(sent: ServerResponse, taken: Calls, { own, use }: Front): Calls {
    const { statusCode } = sent;
    this.#redirect(sent, 'statusCode');
    // Node warns of the one of HTTP/2.
    if (sent.req.httpVersionMajor === 1) this.#redirect(sent, 'statusMessage');
    const sendHead = (): unknown => {
      // What is asked then sets headers.
      use(own);
      const result = this.seen(() => own.writeHead([statusCode]));
      use(calls);
      return result;
    };
    const calls: Calls = {
      ...taken,
      _implicitHeader: sendHead,
      // What is in front may write later than the call, and Node its head then.
      writeHead: (args) =>
        !isSent(sent) && args.length === 1 && args[0] === statusCode ? sendHead() : taken.writeHead(args),
    };
    this.front.use(taken);
    use(calls);
    return calls;
  }

  /** Calls what is to see the response that was sent, such as a log in front. */
  seen<T>(work: () => T): T {
    this.#isSeen = true;
    try {
      return work();
    } finally {
      this.#isSeen = false;
    }
  }

  #redirect(sent: ServerResponse, name: 'statusCode' | 'statusMessage'): void {
    const own: unknown = sent[name];
    Object.defineProperty(sent, name, {
      configurable: true,
      get: () => (this.#isSeen ? own : this.response[name]),
      set: (value: unknown) => {
        if (!this.#isSeen) Object.assign(this.response, { [name]: value });
      },
    });
  }
}

/** Whether the head of a response has left, whatever its handler sees. */
export function isSent(response: ServerResponse): boolean {
  return Reflect.get(Object.getPrototypeOf(response) as object, 'headersSent', response) === true;
}
