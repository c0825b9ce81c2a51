import type { CostMeter } from '../costs.ts';
import type { Work } from './work.ts';

/** One way to handle a message once; `handle` resolves when the message's state is durable. */
export interface Contender {
  readonly name: string;
  readonly work: Pick<Work, 'name' | 'done'>;
  readonly handle: (key: string, payload: Payload) => Promise<void>;
  readonly spent?: CostMeter;
  /** How many of the keys are on record as succeeded. */
  readonly succeeded: (keys: readonly string[]) => Promise<number>;
}

export interface Payload {
  readonly orderId: string;
  readonly cents: number;
  readonly note: string;
}
