import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import { BodyTooLargeError } from './body-too-large-error.ts';

type Bytes = ReadableStream<Uint8Array>;

/** Reads the body of a request. Throws `BodyTooLargeError`, and what the body fails with. */
export async function readAll(body: Bytes | null, maxBytes: number): Promise<Buffer> {
  const read = await readBody(body, { maxBytes, waits: true });
  if (read.kind === 'whole') return read.body;
  if (read.kind === 'too-large') cancel(read.rest);
  throw new BodyTooLargeError();
}

/** Not waited for: a stream that was cloned ends only once the clone is cancelled too. */
export function cancel(body: Pick<Bytes, 'cancel'>): void {
  body.cancel().catch(() => undefined);
}

/** What came of reading a body. */
export type ReadBody =
  | { readonly kind: 'whole'; readonly body: Buffer }
  /** `rest` has the whole body: what has been read, and what has not. */
  | { readonly kind: 'too-large'; readonly rest: Bytes }
  /** It was not complete at once; it is cancelled. */
  | { readonly kind: 'streaming' };

/** With `waits` a body that comes in time is waited for. */
export async function readBody(
  body: Bytes | null,
  { maxBytes, waits }: { readonly maxBytes: number; readonly waits: boolean },
): Promise<ReadBody> {
  if (body === null) return { kind: 'whole', body: Buffer.alloc(0) };
  const reader = body.getReader();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const next = waits ? await reader.read() : await atOnce(reader.read());
    if (next === undefined) {
      cancel(reader);
      return { kind: 'streaming' };
    }
    if (next.done) return { kind: 'whole', body: Buffer.concat(chunks) };
    chunks.push(next.value);
    size += next.value.byteLength;
    if (size > maxBytes) return { kind: 'too-large', rest: rejoined(chunks, reader) };
  }
}

/** Bytes in memory are there within a turn or two of the event loop; those that wait for time or a network are not. */
const TURNS = 10;

/** Undefined for what is not there yet. Turns are counted, not time: a busy machine changes nothing. */
async function atOnce<T>(pending: Promise<T>): Promise<T | undefined> {
  // A failure that comes when nothing waits for it any more.
  pending.catch(() => undefined);
  for (let turn = 0; turn < TURNS; turn += 1) {
    const first = await Promise.race([pending.then((value) => ({ value })), turnOfTheLoop()]);
    if (first !== undefined) return first.value;
  }
  return undefined;
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
