import { startConfluentMember } from './members/confluent.ts';
import { startKafkaJsMember } from './members/kafkajs.ts';
import type { StartMember } from './members/member.ts';
import { startPlatformaticMember } from './members/platformatic.ts';

/** The clients that the suite runs with: KAFKA_CLIENT names one. */
const STARTS: Readonly<Record<string, StartMember>> = {
  kafkajs: startKafkaJsMember,
  confluent: startConfluentMember,
  platformatic: startPlatformaticMember,
};

export const client = process.env['KAFKA_CLIENT'] ?? 'kafkajs';

export const startMember: StartMember = (plan) => {
  const start = STARTS[plan.client ?? client];
  if (start === undefined) throw new Error(`KAFKA_CLIENT must be one of ${Object.keys(STARTS).join(', ')}`);
  return start(plan);
};

/** For cases of what kafkajs alone does, or takes. */
export const isKafkaJs = client === 'kafkajs';
export const isConfluent = client === 'confluent';
export const isPlatformatic = client === 'platformatic';
/** For cases of settings of topics. */
export const readsTopicSettings = isKafkaJs || isPlatformatic;
/** For headers: others give an empty one where there is no value. */
export const tellsNoValue = !isConfluent;
