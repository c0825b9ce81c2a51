import {
  type Kernel,
  deliver,
  type Delivered,
  deliverSeated,
  type Delivery,
  type Seat,
} from '../../src/adapter-kit.ts';

/** The place of a delivery in its lane, or in a batch. */
export interface Turn {
  /** Whether the message is claimed while the one before it is settled. */
  readonly isAhead: boolean;
  /** Called once the message is claimed. If it is not its turn, the claim is released, uncounted. */
  readonly isItsTurn: () => Promise<boolean>;
  /** Called when the handler has returned, before that is on record. */
  readonly onReturned: () => void;
  /** In a batch. `isItsTurn` is asked beside the order of the batch. */
  readonly seat?: Seat | undefined;
}

/** Of a message of a batch, which starts only while it may. */
export function seatedTurn(seat: Seat, mayStart = () => true): Turn {
  return { isAhead: false, isItsTurn: () => Promise.resolve(mayStart()), onReturned: () => undefined, seat };
}

/** The same as `deliver`, for a message that may be in a lane. `not-started`: not its turn, and nothing ran. */
export async function deliverInTurn<R>(
  kernel: Kernel,
  delivery: Delivery<R>,
  turn: Turn | undefined,
): Promise<Delivered<R> | 'not-started'> {
  if (turn === undefined) return await deliver(kernel, delivery);
  const delivered = await deliverAt(kernel, delivery, turn);
  // The one before it, on its way to its record, may have the same key.
  const isEarly = turn.isAhead && isInFlight(delivered);
  if (!isEarly) return delivered;
  return (await turn.isItsTurn()) ? await deliverAt(kernel, delivery, turn) : 'not-started';
}

async function deliverAt<R>(
  kernel: Kernel,
  delivery: Delivery<R>,
  { isItsTurn, onReturned, seat }: Turn,
): Promise<Delivered<R> | 'not-started'> {
  const start = { isDeclined: false };
  const inTurn: Delivery<R> = {
    ...delivery,
    async handler(payload, attempt, ...extra) {
      const result = await delivery.handler(payload, attempt, ...extra);
      onReturned();
      return result;
    },
    async mayStart() {
      start.isDeclined = !(await isItsTurn());
      return !start.isDeclined;
    },
  };
  const delivered =
    seat === undefined ? await deliver(kernel, inTurn) : await deliverSeated(kernel, inTurn, seat);
  return start.isDeclined ? 'not-started' : delivered;
}

function isInFlight(delivered: Delivered<unknown> | 'not-started'): boolean {
  return delivered !== 'not-started' && !delivered.acknowledge && delivered.reason === 'in-flight';
}
