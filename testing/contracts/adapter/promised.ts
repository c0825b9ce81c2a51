import { TerminalError } from '../../../src/words/handler-errors.ts';
import type { ScriptedDelivery } from './script.ts';
import type { AdapterUnderTest } from './setup.ts';

/** A promise of an adapter. It rejects when it is broken. */
export type Promised = (adapter: AdapterUnderTest) => Promise<void>;

export function acknowledged(delivery: ScriptedDelivery): boolean {
  return delivery.log.includes('acknowledge');
}

export function failForGood(): never {
  throw new TerminalError('never');
}
