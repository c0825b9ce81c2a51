import { ServerResponse } from 'node:http';
import { isUint8Array } from 'node:util/types';
import { atEndOfTurn } from '../../../src/adapter-kit.ts';

export type Callback = (error?: Error) => void;

export function callbackOf(args: readonly unknown[]): Callback | undefined {
  return args.find((arg): arg is Callback => typeof arg === 'function');
}

/** What `end` is given to write before: it may leave that out. */
export function hasChunk([chunk]: readonly unknown[]): boolean {
  return Boolean(chunk) && typeof chunk !== 'function';
}

/** What `write` is given, as a copy: who wrote it may use its buffer again. Throws what Node throws. */
export function bytesOf(response: ServerResponse, [chunk, encoding]: readonly unknown[]): Buffer {
  if (typeof chunk === 'string') {
    return Buffer.from(chunk, typeof encoding === 'string' ? (encoding as BufferEncoding) : 'utf8');
  }
  // Node's own `write` throws, since it takes nothing else.
  if (!isUint8Array(chunk)) ServerResponse.prototype.write.call(response, chunk, 'utf8');
  return Buffer.from(chunk as Uint8Array);
}

/** Of one that comes too late. An `error` without a listener would end the process before the record is written. */
export function refuseWrite(
  response: ServerResponse,
  isEnded: boolean,
  callback: Callback | undefined,
): false {
  const [code, message] = isEnded
    ? ['ERR_STREAM_WRITE_AFTER_END', 'write after end']
    : ['ERR_STREAM_DESTROYED', 'Cannot call write after a stream was destroyed'];
  const error = Object.assign(new Error(message), { code });
  atEndOfTurn(() => {
    callback?.(error);
    if (isEnded && response.listenerCount('error') > 0) response.emit('error', error);
  });
  return false;
}
