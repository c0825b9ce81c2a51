import { Gate } from '../lib/gate.ts';

/**
 * Half of the pool that clients have by default. What waits in our own queue costs no lease, and can still share a
 * statement; what waits in the driver's does and cannot. Each verb has its own room: settles and heartbeats never wait
 * behind claims.
 */
const STATEMENTS = 5;
const EXTENDS = 2;

/**
 * Two full batches. A claim starts a lease that its settle has to reach, so claims must not run ahead of settles: on a
 * machine with a sixth of its speed they were 7,000 ahead, more than a lease of two seconds could settle.
 */
const MOST_UNANSWERED = 1_000;
const CLAIMS_AGAIN_AT = 500;

export type Traffic = ReturnType<typeof createTraffic>;

const traffics = new WeakMap<object, Traffic>();

/** The traffic of a client, or of a store that has none: the same for all that share it. */
export function trafficOf(client: object): Traffic {
  const known = traffics.get(client);
  if (known !== undefined) return known;
  const traffic = createTraffic();
  traffics.set(client, traffic);
  return traffic;
}

/** How many statements of each verb this process hands to one client at once, over all scopes. */
function createTraffic() {
  const claim = new Gate(STATEMENTS);
  let unanswered = 0;

  function answered(): void {
    unanswered -= 1;
    if (unanswered === CLAIMS_AGAIN_AT) claim.setShut(false);
  }

  return {
    claim,
    settle: new Gate(STATEMENTS),
    extend: new Gate(EXTENDS),
    keep: new Gate(EXTENDS),
    /** For records that are likely to be locked: such a statement waits, with a connection. */
    extendAlone: new Gate(1),
    /** Sends a settle or a heartbeat. While many have no reply yet, no claim is sent. */
    trackUnanswered<Reply>(send: () => Promise<Reply>): Promise<Reply> {
      unanswered += 1;
      if (unanswered === MOST_UNANSWERED) claim.setShut(true);
      return send().finally(answered);
    },
  };
}
