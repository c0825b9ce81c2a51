import { existsSync } from 'node:fs';

const MODULE = '../../../../kafka-clients/node_modules/@confluentinc/kafka-javascript/build/Release';

/** Whether Confluent's client is there: `npm run test:kafka-clients` installs it. */
export function confluentIsInstalled(): boolean {
  return existsSync(new URL(MODULE, import.meta.url));
}
