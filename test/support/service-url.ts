import { inject } from 'vitest';
import type { ServiceName } from './run-services.ts';

/** Where a service of this run is. It is started if no test file asked for it before. */
export async function serviceUrl(name: ServiceName): Promise<string> {
  const services = inject('servicesUrl') as string | undefined;
  if (services === undefined) {
    throw new Error(`A unit test asks for ${name}: add its file to INTEGRATION in vitest.config.ts`);
  }
  const response = await fetch(`${services}/${name}`);
  return response.text();
}
