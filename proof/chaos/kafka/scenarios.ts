import type { Run } from '../options.ts';
import { broker } from './broker.ts';
import { cluster } from './cluster.ts';
import { rebalances } from './rebalances.ts';
import { standstill } from './standstill.ts';

export const KAFKA_SCENARIOS: Readonly<Record<string, readonly Run[]>> = {
  rebalances: [
    (chaos) => rebalances(chaos, { ordering: 'key', fromBeginning: true }),
    (chaos) => rebalances(chaos, { ordering: 'partition', fromBeginning: false }),
  ],
  batches: [(chaos) => rebalances(chaos, { ordering: 'partition', fromBeginning: true, batchSize: 20 })],
  standstill: [standstill],
  broker: [broker],
  cluster: [cluster],
};
