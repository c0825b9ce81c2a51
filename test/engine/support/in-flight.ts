import type { Outcome } from '../../../src/index.ts';
import { gate } from '../../support/gate.ts';

export interface InFlight {
  /** Lets the handler end. */
  finish(): void;
  readonly outcome: Promise<Outcome<unknown>>;
}

type Call = (key: string, payload: string, fn: () => Promise<unknown>) => Promise<Outcome<unknown>>;

/** The first delivery of `key`, whose handler runs, and ends as it is told once it may. */
export async function inFlight(
  call: Call,
  end: () => unknown = () => undefined,
  payload = 'body',
): Promise<InFlight> {
  const running = gate();
  const mayEnd = gate();
  const outcome = call('key', payload, async () => {
    running.open();
    await mayEnd.opened;
    return end();
  });
  await running.opened;
  return {
    outcome,
    finish() {
      mayEnd.open();
    },
  };
}
