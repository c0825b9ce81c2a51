import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

/** A client beside kafkajs, which `npm run test:kafka-clients` installs in a folder of its own. */
export interface OtherClient {
  /** As KAFKA_CLIENT has it. */
  readonly name: string;
  readonly package: string;
  /** Why this process cannot use it. Undefined where it can. */
  readonly missing: string | undefined;
}

/** From the project's root, where tests run: workers are bundles, which are elsewhere. */
const MANIFEST = pathToFileURL('test/kafka-clients/package.json');
const CONFLUENT = '@confluentinc/kafka-javascript';
const PLATFORMATIC = '@platformatic/kafka';
export const NOT_INSTALLED = 'it is not installed';

export const OTHER_CLIENTS: readonly OtherClient[] = [
  { name: 'confluent', package: CONFLUENT, missing: confluentMissing() },
  { name: 'platformatic', package: PLATFORMATIC, missing: platformaticMissing() },
];

/** Clients that this process can use. */
export const USABLE_CLIENTS = [
  'kafkajs',
  ...OTHER_CLIENTS.filter(({ missing }) => missing === undefined).map(({ name }) => name),
];

function pathOf(path: string): URL {
  return new URL(`node_modules/${path}`, MANIFEST);
}

export function loadClient(name: string): unknown {
  const client = OTHER_CLIENTS.find((one) => one.name === name);
  return createRequire(MANIFEST)(client?.package ?? name);
}

/** Prints a line for each client that this process cannot use. */
export function tellMissingClients(): void {
  for (const { package: name, missing } of OTHER_CLIENTS) {
    if (missing !== undefined)
      console.info(`${name} is not tested, since ${missing}: npm run test:kafka-clients has what it needs`);
  }
}

function confluentMissing(): string | undefined {
  if (!existsSync(pathOf(`${CONFLUENT}/build/Release`))) return NOT_INSTALLED;
  const config = pathOf(`${CONFLUENT}/build/config.gypi`);
  const built = existsSync(config)
    ? /"node_module_version": (\d+)/.exec(readFileSync(config, 'utf8'))?.[1]
    : undefined;
  return [undefined, process.versions.modules].includes(built) ? undefined : 'it is built for another Node';
}

function platformaticMissing(): string | undefined {
  if (!existsSync(pathOf(PLATFORMATIC))) return NOT_INSTALLED;
  return Number.parseInt(process.versions.node) < 24 ? 'it needs Node 24' : undefined;
}
