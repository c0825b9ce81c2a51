/** One section, in a process of its own: what another has loaded, compiled and left in memory must not slow it. */
import { NoServiceError } from '../test/support/services/service.ts';
import { batch } from './batch/section.ts';
import { before } from './before/section.ts';
import { caching } from './caching/section.ts';
import { citus } from './citus/section.ts';
import { core } from './core/section.ts';
import { dashboard } from './dashboard/section.ts';
import { delay } from './delay/section.ts';
import { horizon } from './horizon/section.ts';
import { kafka } from './kafka/section.ts';
import { kafkaClients } from './kafka-clients/section.ts';
import { latency } from './latency/section.ts';
import { maintenance } from './maintenance/section.ts';
import { memory } from './memory/section.ts';
import { observability } from './observability/section.ts';
import { operations } from './operations/section.ts';
import { isSection, type SectionName } from './options.ts';
import { partitions } from './partitions/section.ts';
import { scale } from './scale/section.ts';
import type { Section } from './section.ts';
import { FULL, QUICK } from './sizes.ts';
import { size } from './size/section.ts';
import { steps } from './steps/section.ts';
import { sqs } from './sqs/section.ts';
import { transaction } from './transaction/section.ts';

const SECTIONS: Readonly<Record<SectionName, Section>> = {
  core,
  delay,
  transaction,
  batch,
  steps,
  latency,
  sqs,
  kafka,
  'kafka-clients': kafkaClients,
  size,
  partitions,
  scale,
  citus,
  memory,
  maintenance,
  horizon,
  operations,
  dashboard,
  observability,
  caching,
  before,
};

const [name = '', postgresUrl = '', mode] = process.argv.slice(2);
if (!isSection(name)) throw new Error(`no section ${name}`);
try {
  process.send?.(await SECTIONS[name]({ postgresUrl, sizes: mode === 'quick' ? QUICK : FULL }));
} catch (error) {
  if (!(error instanceof NoServiceError)) throw error;
  console.log(`\n## ${name}\n\nleft out: ${error.message}`);
}
process.disconnect();
