import { onAbort } from '../../src/adapter-kit.ts';
import { BodyTooLargeError } from './body-too-large-error.ts';

type Bytes = ReadableStream<Uint8Array>;

/** Reads the body of a request. Throws `BodyTooLargeError`, and what the body fails with. */
export async function readAll(body: Bytes | null, maxBytes: number): Promise<Buffer> {
  const read = await readBody(body, maxBytes);
  if (read.kind === 'whole') return read.body;
  if (read.kind === 'too-large') cancel(read.rest);
  throw new BodyTooLargeError();
}

/** Not waited for: a stream that was cloned ends only once the clone is cancelled too. */
export function cancel(body: Pick<Bytes, 'cancel'> | null): void {
  body?.cancel().catch(() => undefined);
}

/** What came of reading a body. */
export type ReadBody =
  | { readonly kind: 'whole'; readonly body: Buffer }
  /** `rest` has the whole body: what has been read, and what has not. */
  | { readonly kind: 'too-large'; readonly rest: Bytes }
  /** The signal aborted before its end; it is cancelled. */
  | { readonly kind: 'given-up' };

/** Reads a body until it is larger than `maxBytes`, or `signal` aborts. Throws what the body fails with. */
export async function readBody(
  body: Bytes | null,
  maxBytes: number,
  signal?: AbortSignal,
): Promise<ReadBody> {
  if (body === null) return { kind: 'whole', body: Buffer.alloc(0) };
  const reader = body.getReader();
  // To cancel it ends the read that waits.
  const unsubscribe =
    signal &&
    onAbort(signal, () => {
      cancel(reader);
    });
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for (;;) {
      const next = await reader.read();
      if (signal?.aborted === true) return { kind: 'given-up' };
      if (next.done) return { kind: 'whole', body: Buffer.concat(chunks) };
      chunks.push(next.value);
      size += next.value.byteLength;
      if (size > maxBytes) return { kind: 'too-large', rest: rejoined(chunks, reader) };
    }
  } finally {
    unsubscribe?.();
  }
}

/** The stream as if nothing had been read of it. */
function rejoined(chunks: readonly Uint8Array[], reader: ReadableStreamDefaultReader<Uint8Array>): Bytes {
  return new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
    },
    async pull(controller) {
      const next = await reader.read();
      if (next.done) controller.close();
      else controller.enqueue(next.value);
    },
    cancel() {
      cancel(reader);
    },
  });
}
