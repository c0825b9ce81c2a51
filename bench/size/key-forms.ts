import { randomUUID } from 'node:crypto';
import type { Keys } from '../core/measure.ts';

/** A form that keys have: how the records were keyed that a table holds already, and how its next ones are. */
export interface KeyForm {
  readonly name: string;
  /** The key of record `n`, a number from 1, as SQL. */
  readonly filled: string;
  /** How full the pages of an index are that has grown by such keys. */
  readonly fillfactor: number;
  /** Keys that follow on `records` of them. */
  readonly fresh: (records: number) => Keys;
}

const PARTITIONS = 12;

export const KEY_FORMS: readonly KeyForm[] = [
  {
    name: 'topic-partition-offset',
    filled: `'orders-' || n % ${PARTITIONS} || '-' || n / ${PARTITIONS}`,
    fillfactor: 90,
    fresh(records) {
      let n = records;
      return () => {
        n += 1;
        return `orders-${n % PARTITIONS}-${Math.floor(n / PARTITIONS)}`;
      };
    },
  },
  {
    name: 'timeOrderedKey',
    // A message every 10 ms, the last of them an hour ago.
    filled: `((extract(epoch from now()) - 3600) * 1000)::bigint - 10 * ($1::bigint - n) || '-' || gen_random_uuid()`,
    fillfactor: 90,
    fresh: () => () => `${Date.now()}-${randomUUID()}`,
  },
  {
    name: 'random UUID',
    filled: 'gen_random_uuid()::text',
    // Pages that are split wherever they are full are seven tenths full on average.
    fillfactor: 70,
    fresh: () => randomUUID,
  },
];
