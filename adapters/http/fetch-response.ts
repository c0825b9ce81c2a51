import { kindOf } from '../../src/adapter-kit.ts';
import { InvalidOptionsError } from '../../src/index.ts';
import type { Answer, Produced } from './answer.ts';
import { keptOf } from './kept-headers.ts';
import { cancel, readBody } from './fetch-body.ts';
import type { Processor } from './processor.ts';
import { isEventStream, refusedStream } from './refused-stream.ts';
import { isReleased } from './released-status.ts';
import { renderProblem } from './render-problem.ts';
import { toStored } from './stored-response.ts';
import type { WholeResponse } from './whole-response.ts';

type ResponseBody = ConstructorParameters<typeof Response>[0];

/** Reads what a handler returned, for its client and for the record. A body without an end by `over` is refused. */
export async function produce(
  processor: Processor,
  returned: unknown,
  over: AbortSignal,
): Promise<Produced<Response>> {
  if (!isResponse(returned)) {
    const message = `must return a Response, got ${kindOf(returned)}`;
    throw new InvalidOptionsError('onceEachRequest', [{ field: 'handler', message }]);
  }
  const { status } = returned;
  if (isReleased(status)) return { own: returned, status, stored: undefined };
  const { maxStoredBytes, keptHeaders } = processor;
  if (isEventStream(returned.headers.get('content-type'))) {
    cancel(returned.body);
    return refusedStream(processor, responseOf);
  }
  const read = await readBody(returned.body, maxStoredBytes, over);
  if (read.kind === 'given-up') return refusedStream(processor, responseOf);
  const headers = keptOf(returned.headers, keptHeaders);
  const body = read.kind === 'whole' ? read.body : undefined;
  return {
    own: copyOf(returned, read.kind === 'whole' ? bodyInit(read.body) : read.rest),
    status,
    stored: toStored({ status, headers, body }, maxStoredBytes),
  };
}

function isResponse(value: unknown): value is Response {
  if (typeof value !== 'object' || value === null) return false;
  const { status, headers } = value as Partial<Response>;
  return typeof status === 'number' && typeof headers?.get === 'function';
}

function copyOf({ status, statusText, headers }: Response, body: ResponseBody): Response {
  return new Response(body, { status, statusText, headers });
}

/** The answer as a response. What is thrown is thrown on. */
export function toResponse(answer: Exclude<Answer<Response>, { kind: 'pass' }>, docs: string): Response {
  switch (answer.kind) {
    case 'own':
      return marked(answer.own, answer.type);
    case 'replay':
      return marked(responseOf({ ...answer.stored, body: answer.body }), 'replayed');
    case 'problem':
      return marked(responseOf(renderProblem(answer.problem, docs)), answer.problem.name);
    case 'threw':
      throw answer.error;
  }
}

function marked(response: Response, status: string): Response {
  try {
    response.headers.set('idempotency-status', status);
    return response;
  } catch {
    // The headers of what fetch returned cannot be changed.
    if (response.status < 200) return response;
    const copy = copyOf(response, response.body);
    copy.headers.set('idempotency-status', status);
    return copy;
  }
}

/** Where the Fetch standard allows no body, not even an empty one. What `node:http` has stored can have one. */
const WITHOUT_BODY: ReadonlySet<number> = new Set([204, 205, 304]);

function responseOf({ status, headers, body }: WholeResponse): Response {
  const init = { status, headers: headers.map(([name, value]): [string, string] => [name, value]) };
  return new Response(WITHOUT_BODY.has(status) ? null : bodyInit(body), init);
}

/** Null for an empty body: the status of a response that has one may allow none. */
function bodyInit(body: Buffer): Uint8Array<ArrayBuffer> | null {
  return body.length === 0 ? null : new Uint8Array(body);
}
