import type { Report } from '../report.ts';
import { broker } from './broker.ts';
import { cluster } from './cluster.ts';
import { rebalances } from './rebalances.ts';
import { standstill } from './standstill.ts';
import type { Chaos } from './storm.ts';

export type Run = (chaos: Chaos) => Promise<Report>;

export type ScenarioName = 'rebalances' | 'standstill' | 'broker' | 'cluster';

export const SCENARIOS: Readonly<Record<ScenarioName, readonly Run[]>> = {
  rebalances: [
    (chaos) => rebalances(chaos, { ordering: 'key', fromBeginning: true }),
    (chaos) => rebalances(chaos, { ordering: 'partition', fromBeginning: false }),
  ],
  standstill: [standstill],
  broker: [broker],
  cluster: [cluster],
};
