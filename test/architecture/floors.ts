/** Published files of adapters, each above all of its folder. */
const ENTRIES = 'adapters/**/index.ts';

/** The folders, from the top floor to the ground. Each imports from itself, and from the floors below it. */
export const FLOORS: readonly (readonly string[])[] = [
  ['proof/simulation'],
  ['proof/simulation/report'],
  ['proof/simulation/surfaces'],
  ['proof/simulation/kafka'],
  ['proof/simulation/actors'],
  ['proof/simulation/models', 'proof/simulation/kafka/client', 'proof/simulation/kafka/rules'],
  ['proof/simulation/kafka/broker', 'proof/simulation/rules'],
  ['proof/simulation/world'],
  ['proof/simulation/facts'],
  ['proof/simulation/plan'],
  ['proof/simulation/time'],
  ['testing'],
  ['adapters/cli', 'adapters/nestjs'],
  [ENTRIES],
  ['adapters/kafka/redrive', 'adapters/kafka/confluent', 'adapters/kafka/platformatic'],
  ['adapters/kafka'],
  ['adapters/kafka/client'],
  ['adapters/kafka/fetch'],
  ['adapters/kafka/partition', 'adapters/kafka/retry'],
  ['adapters/kafka/options'],
  ['adapters/kafka/log'],
  ['adapters/http/node'],
  ['adapters/sqs', 'adapters/lambda', 'adapters/http', 'adapters/dashboard'],
  ['adapters/operations', 'adapters/webhook'],
  ['adapters/shared'],
  ['adapters/clients', 'adapters/envelopes', 'adapters/otel'],
  ['src'],
  ['src/adapter'],
  ['src/api'],
  ['src/engine', 'src/history'],
  ['src/store'],
  ['src/migrations'],
  ['src/postgres'],
  ['src/reporting'],
  ['src/options'],
  ['src/payload'],
  ['src/words'],
  ['src/lib'],
];

/** The place of a file: the innermost folder of the list that it is in. */
export function placeOf(file: string): string | undefined {
  if (/^adapters\/(?!cli|nestjs).*\/index\.ts$/.test(file)) return ENTRIES;
  const folders = file.split('/').map((_, depth, names) => names.slice(0, -1 - depth).join('/'));
  return folders.find((folder) => FLOORS.flat().includes(folder));
}

/** 0 is the ground. */
export function floorOf(place: string): number {
  return FLOORS.length - 1 - FLOORS.findIndex((places) => places.includes(place));
}

/** What an adapter may import of others: what it shares with them, and what is published. */
const OF_OTHERS: Readonly<Record<string, readonly string[]>> = {
  cli: ['clients/index.ts', 'dashboard/index.ts', 'kafka/index.ts', 'operations/', 'shared/', 'sqs/index.ts'],
  dashboard: ['operations/', 'shared/is-same-secret.ts'],
  kafka: ['operations/redrive/', 'operations/database-now.ts', ...shared('kafka')],
  lambda: ['shared/'],
  nestjs: ['kafka/index.ts', 'sqs/index.ts'],
  operations: ['shared/connection-warning.ts'],
  sqs: ['operations/redrive/', ...shared('sqs')],
};

/** The files of all brokers, and the folder of one. */
function shared(broker: string): string[] {
  return [
    'connection-warning.ts',
    'deliver-in-turn.ts',
    'lanes.ts',
    'run-batches.ts',
    'store-health.ts',
    'warn.ts',
    `${broker}/`,
  ].map((name) => `shared/${name}`);
}

export function mayImport(adapter: string, file: string): boolean {
  return OF_OTHERS[adapter]?.some((place) => file.startsWith(`adapters/${place}`)) ?? false;
}
