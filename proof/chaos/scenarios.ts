import type { Chaos } from './chaos.ts';
import { KAFKA_SCENARIOS } from './kafka/scenarios.ts';
import type { Scenarios } from './options.ts';
import { QUEUE_CASES } from './queue/cases.ts';
import { runCase } from './queue/run-case.ts';

export const SCENARIOS: Scenarios = {
  kafka: KAFKA_SCENARIOS,
  ...Object.fromEntries(
    Object.entries(QUEUE_CASES).map(([group, cases]) => [
      group,
      Object.fromEntries(
        Object.entries(cases).map(([name, one]) => [
          name,
          [(chaos: Chaos) => runCase(chaos, `${group} ${name}`, one)],
        ]),
      ),
    ]),
  ),
};
