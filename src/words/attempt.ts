/** One run of a handler. */
export interface Attempt {
  /** As given to `handleOnce`, or as the adapter found it. */
  readonly key: string;
  /** Of the record: the scope of `createHandleOnce`, or what `inScope` or an adapter made of it. */
  readonly scope: string;
  /** How often this message has been tried, this time included: from 1. */
  readonly number: number;
  /**
   * Milliseconds from the first claim of this message to the claim of this attempt, by the clock of the database: 0 at
   * the first. After its record has expired, it starts at 0 again.
   */
  readonly ageMs: number;
  /**
   * Aborts when the lease is lost (reason `LeaseLostError`), when the caller's signal aborts (its reason), when
   * `timeoutMs` has passed (reason a `TimeoutError`), and when the connection of the attempt's transaction breaks
   * (reason a `StoreError`). A handler that ignores it cannot make the record wrong.
   */
  readonly signal: AbortSignal;
  /**
   * A key for one effect of this message, the same on every attempt: give it to a payment provider as idempotency key.
   *
   * 64 hexadecimal digits; never changes between versions. Throws `InvalidKeyError` on an empty or overlong name.
   */
  childKey(name: string): string;
}
