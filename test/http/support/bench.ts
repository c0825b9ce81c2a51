import { createHandleOnce, type HandleOnceOptions } from 'handle-once';
import {
  type HttpAttempt,
  type HttpEvent,
  type OnceEachRequest,
  onceEachRequest,
  type RequestOptions,
} from 'handle-once/http';
import type { Store } from 'handle-once/store';
import { createMemoryStore } from 'handle-once/testing';

/** A wrapped handler, and what happened to it. */
export interface Bench {
  readonly send: OnceEachRequest;
  readonly runs: { readonly request: Request; readonly attempt: HttpAttempt }[];
  readonly events: HttpEvent[];
  readonly store: Store;
}

type Options = Partial<Omit<RequestOptions, 'handleOnce' | 'onEvent'>> & {
  readonly store?: Store;
  /** Of `createHandleOnce`. */
  readonly core?: Partial<HandleOnceOptions>;
  readonly handler?: (request: Request, attempt: HttpAttempt) => Response | Promise<Response>;
};

export function bench(options: Options = {}): Bench {
  const { store = createMemoryStore(), core, handler = () => created(), ...rest } = options;
  const runs: Bench['runs'] = [];
  const events: HttpEvent[] = [];
  const send = onceEachRequest(
    {
      handleOnce: createHandleOnce({ store, scope: 'api', onEvent: () => undefined, ...core }),
      route: '/orders',
      principal: null,
      onEvent: (event) => events.push(event),
      ...rest,
    },
    (request, attempt) => {
      runs.push({ request, attempt });
      return handler(request, attempt);
    },
  );
  return { send, runs, events, store };
}

export function created(): Response {
  return Response.json({ id: 'order-1' }, { status: 201, headers: { location: '/orders/order-1' } });
}

/** A body without an end, as an upstream that goes on sending. */
export function endless(onCancel: () => void): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>({
    pull(controller) {
      controller.enqueue(Buffer.alloc(10_000, 'a'));
    },
    cancel: onCancel,
  });
}

/** A POST with the key, or without one. */
export function post(
  key: string | undefined,
  { path = '/orders', body = '{"cents":995}', headers = {}, method = 'POST' }: Partial<Sent> = {},
): Request {
  return new Request(`http://api.test${path}`, {
    method,
    headers: { ...headers, ...(key === undefined ? {} : { 'idempotency-key': key }) },
    ...(method === 'GET' ? {} : { body }),
  });
}

interface Sent {
  readonly path: string;
  readonly body: string | Uint8Array<ArrayBuffer>;
  readonly headers: Readonly<Record<string, string>>;
  readonly method: string;
}

/** What a client can tell one response from another by. */
export async function seen(response: Response): Promise<{
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: string;
}> {
  const headers = Object.fromEntries(response.headers);
  delete headers['idempotency-status'];
  return {
    status: response.status,
    headers,
    body: Buffer.from(await response.arrayBuffer()).toString('hex'),
  };
}

export function statusOf(response: Response): string | null {
  return response.headers.get('idempotency-status');
}
