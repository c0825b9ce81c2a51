import { createGate, type Gate } from '../gate.ts';

/** How many statements of each verb this process hands to one client at once, over all scopes. */
export interface Traffic {
  readonly claim: Gate;
  readonly settle: Gate;
  readonly extend: Gate;
}

/**
 * Half of the pool that clients have by default. What waits in our own queue costs no lease, and can still share a
 * statement; what waits in the driver's does and cannot. Each verb has its own room: settles and heartbeats never wait
 * behind claims.
 */
export const STATEMENTS = 5;
const EXTENDS = 2;

const traffics = new WeakMap<object, Traffic>();

/** The traffic of a client, or of a store that has none: the same for all that share it. */
export function trafficOf(client: object): Traffic {
  const known = traffics.get(client);
  if (known !== undefined) return known;
  const traffic = {
    claim: createGate(STATEMENTS),
    settle: createGate(STATEMENTS),
    extend: createGate(EXTENDS),
  };
  traffics.set(client, traffic);
  return traffic;
}
