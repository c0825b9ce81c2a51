import type { IncomingMessage } from 'node:http';
import { BodyTooLargeError } from '../body-too-large-error.ts';
import { bodyIsGone } from '../processor.ts';

/** What body parsers add to a request. */
interface Parsed {
  readonly rawBody?: unknown;
  readonly body?: unknown;
}

/**
 * The bytes of the body, which the parsers and the handler still get. Throws `BodyTooLargeError`, and
 * `InvalidOptionsError` when a parser has read them and kept none.
 */
export async function rawBodyOf(
  subject: string,
  request: IncomingMessage & Parsed,
  maxBytes: number,
): Promise<Buffer> {
  const known = bytesOf(request.rawBody) ?? bytesOf(request.body);
  if (known !== undefined) {
    if (known.length > maxBytes) throw new BodyTooLargeError();
    return known;
  }
  if (!hasBody(request)) return Buffer.alloc(0);
  if (Number(request.headers['content-length']) > maxBytes) throw new BodyTooLargeError();
  if (request.readableDidRead) {
    throw bodyIsGone(
      subject,
      'put onceEachNodeRequest in front of body parsers, or have them keep the bytes in request.rawBody',
    );
  }
  return await readAndPutBack(request, maxBytes);
}

function bytesOf(value: unknown): Buffer | undefined {
  if (typeof value === 'string') return Buffer.from(value);
  return value instanceof Uint8Array ? Buffer.from(value) : undefined;
}

/** A body that is not there is not read: its end would be over when a parser looks for it. */
function hasBody(request: IncomingMessage): boolean {
  const { complete, headers, httpVersionMajor, readableDidRead, readableLength } = request;
  const isEmpty = complete && readableLength === 0 && !readableDidRead;
  // HTTP/2 needs neither of the two headers.
  const mayHaveBody = httpVersionMajor > 1 || headers['transfer-encoding'] !== undefined;
  return !isEmpty && (mayHaveBody || Number(headers['content-length'] ?? 0) > 0);
}

function readAndPutBack(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const declaredSize = Number(request.headers['content-length']);

    function read(): void {
      // The end is emitted for it too, unless that comes with the last bytes.
      const isAtEnd = request.readableLength === 0;
      while (request.readableLength > 0) {
        const chunk = request.read() as Buffer | string | null;
        if (chunk === null) break;
        chunks.push(Buffer.from(chunk as Buffer));
        size += chunk.length;
      }
      if (size > maxBytes) end(new BodyTooLargeError());
      // HTTP/2 is never complete before it has ended, and what tests inject is never complete.
      else if (isAtEnd || request.complete || size === declaredSize) end();
    }

    function end(error?: Error): void {
      request.off('readable', read).off('error', end).off('close', hungUp);
      if (error !== undefined) {
        // What is not read would hold up the next request of the connection.
        request.resume();
        reject(error);
        return;
      }
      const body = Buffer.concat(chunks);
      // In the same turn as the last read: the stream has not emitted its end yet.
      if (size > 0) request.unshift(body);
      resolve(body);
    }

    function hungUp(): void {
      end(new Error('the client hung up before its request was complete'));
    }

    if (request.destroyed) hungUp();
    else request.on('readable', read).on('error', end).on('close', hungUp);
  });
}
