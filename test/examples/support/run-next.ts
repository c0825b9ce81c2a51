import { serve } from '@hono/node-server';
import { GET, POST } from '../../../examples/dashboard/next.ts';

/** Stands for Next.js: gives each request to the function of its method. */
const server = serve(
  {
    fetch: (request) => (request.method === 'POST' ? POST : GET)(request),
    hostname: '127.0.0.1',
    port: Number(process.env['PORT']),
  },
  (address) => {
    console.log('listening on', address);
  },
);
process.once('SIGTERM', () => server.close(() => process.exit(0)));
