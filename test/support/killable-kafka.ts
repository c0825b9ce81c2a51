import { afterAll, beforeAll } from 'vitest';
import { type KafkaProcess, startKafkaProcess } from './services/kafka-process.ts';
import { type TestKafka, useKafka } from './kafka.ts';

const FETCH_AND_START_TIMEOUT_MS = 120_000;

export interface KillableKafka extends TestKafka, Pick<KafkaProcess, 'kill' | 'restart'> {}

/** A broker of the calling file's own. Needs what `mavenIsInstalled` looks for. */
export function useKillableKafka(): KillableKafka {
  let started: KafkaProcess | undefined;
  const broker = () => {
    if (started === undefined) throw new Error('The broker is there only while tests run');
    return started;
  };

  beforeAll(async () => {
    started = await startKafkaProcess();
  }, FETCH_AND_START_TIMEOUT_MS);
  afterAll(() => started?.stop());

  return {
    ...useKafka(() => [broker().url]),
    kill: () => broker().kill(),
    restart: () => broker().restart(),
  };
}
