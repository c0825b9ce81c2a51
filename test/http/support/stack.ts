import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { createGzip } from 'node:zlib';

type Next = (error?: unknown) => unknown;
export type Middleware = (
  request: IncomingMessage & { body?: unknown },
  response: ServerResponse,
  next: Next,
) => unknown;

/** Middleware one behind the other, as Express has it. An error is answered 500 with its message. */
export function stack(...layers: readonly Middleware[]): RequestListener {
  return (request, response) => {
    const run = (index: number, error?: unknown): unknown => {
      if (error !== undefined) {
        response.statusCode = 500;
        return response.end(error instanceof Error ? error.message : 'no error');
      }
      return layers[index]?.(request, response, (failure) => run(index + 1, failure));
    };
    run(0);
  };
}

/** Reads the body to its end, as body parsers do, and keeps no bytes. */
export const parseJson: Middleware = (request, _response, next) => {
  void buffer(request).then(
    (bytes) => {
      request.body = bytes.length === 0 ? undefined : JSON.parse(bytes.toString());
      next();
    },
    (error: unknown) => next(error),
  );
};

/** Compresses what is written from then on, as `compression` does: by `write` and `end` of its own. */
export const compress: Middleware = (request, response, next) => {
  if (!(request.headers['accept-encoding'] ?? '').includes('gzip')) return next();
  const [write, end] = ['write', 'end'].map((name) => Reflect.get(response, name) as () => unknown);
  if (write === undefined || end === undefined) return next();
  const gzip = createGzip();
  const begin = (): void => {
    response.removeHeader('content-length');
    response.setHeader('content-encoding', 'gzip');
  };
  gzip.on('data', (chunk: Buffer) => Reflect.apply(write as (part: Buffer) => unknown, response, [chunk]));
  gzip.on('end', () => Reflect.apply(end, response, []));
  Object.assign(response, {
    write: (chunk: Buffer | string) => {
      begin();
      return gzip.write(chunk);
    },
    end: (chunk?: Buffer | string) => {
      begin();
      gzip.end(chunk);
      return response;
    },
  });
  return next();
};
