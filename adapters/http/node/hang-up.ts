import type { IncomingMessage } from 'node:http';

/** Whether the client of a request has hung up. Some that tests make have no socket. */
export function hasHungUp(request: IncomingMessage): boolean {
  const { socket } = request as { readonly socket: { readonly destroyed?: boolean } | null | undefined };
  return socket?.destroyed === true;
}

/**
 * Keeps a received request open when its client hangs up, so that its body can still be read. Returns what ends
 * that.
 */
export function holdOpen(request: IncomingMessage): () => void {
  const destroy = request.destroy.bind(request);
  let isHeld = true;
  let destroyedWith: [error: Error | undefined] | undefined;
  request.destroy = (error) => {
    // At its end a stream destroys itself, and a handler can give it up.
    if (!isHeld || request.readableEnded || !hasHungUp(request)) return destroy(error);
    destroyedWith = [error];
    return request;
  };
  return () => {
    isHeld = false;
    if (destroyedWith !== undefined) destroy(...destroyedWith);
  };
}
