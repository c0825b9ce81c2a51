import type { IncomingMessage } from 'node:http';

/**
 * Keeps a request that has been received from being told that its client has hung up: what has not read its body yet
 * still can. Returns what ends that.
 */
export function holdOpen(request: IncomingMessage): () => void {
  const destroy = request.destroy.bind(request);
  let isHeld = true;
  let destroyedWith: [error: Error | undefined] | undefined;
  request.destroy = (error) => {
    // At its end a stream destroys itself.
    if (!isHeld || request.readableEnded) return destroy(error);
    destroyedWith = [error];
    return request;
  };
  return () => {
    isHeld = false;
    if (destroyedWith !== undefined) destroy(...destroyedWith);
  };
}
