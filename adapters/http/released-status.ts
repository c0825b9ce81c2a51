/** Of answers that say "not now" or "not you": another try of the same request can be answered otherwise. */
const RELEASED: ReadonlySet<number> = new Set([401, 403, 408, 409, 425, 429]);

/** Whether an answer with this status is not stored, so that a retry runs the handler again. Below 200 it is none. */
export function isReleased(status: number): boolean {
  return status < 200 || status >= 500 || RELEASED.has(status);
}

/** Whether a client can cause such an answer at will: it is no fault of the handler. */
export function isOfClient(status: number): boolean {
  return status >= 400 && status < 500;
}
