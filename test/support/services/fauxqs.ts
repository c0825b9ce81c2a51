import { buildApp } from 'fauxqs';
import type { Service } from './service.ts';

/** Starts an SQS emulator inside this process. */
export async function startFauxqs(): Promise<Service> {
  const app = buildApp({ logger: false });
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  return {
    url,
    async stop() {
      await app.close();
    },
  };
}
