import { handleSeated } from '../engine/batch/handle-seated.ts';
import type { Seat } from '../engine/batch/seat.ts';
import { deliver, type Delivered } from './deliver.ts';
import type { Delivery } from './delivery.ts';
import type { Kernel } from './kernel.ts';

/**
 * The same as `deliver`, for a message of a batch, whose handler is that of its seat. Leave the seat once the broker
 * knows the verdict. `not-started`: its turn has not come, and nothing ran.
 */
export async function deliverSeated<R>(
  kernel: Kernel,
  delivery: Delivery<R>,
  seat: Seat,
): Promise<Delivered<R> | 'not-started'> {
  const delivered = await handleSeated(seat, (place) => deliver(kernel, { ...delivery, seat: place }));
  return delivered === undefined || seat.isDeclined ? 'not-started' : delivered;
}
