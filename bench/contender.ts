/** One way to handle a message once; `handle` resolves when the message's state is durable. */
export interface Contender {
  readonly name: string;
  readonly handle: (key: string, payload: Payload) => Promise<void>;
  /** How many messages are on record as succeeded. */
  readonly succeeded: () => Promise<number>;
}

export interface Payload {
  readonly orderId: string;
  readonly cents: number;
  readonly note: string;
}
