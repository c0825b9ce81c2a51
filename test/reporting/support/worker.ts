/** A process that uses the package as a user does. Its only argument says what goes wrong, and what it is given. */
import postgres from 'postgres';
import { createHandleOnce, type HandleOnceOptions, TerminalError } from '../../../src/index.ts';
import { createMemoryStore } from '../../../testing/index.ts';
import type { WorkerOrder } from './run-worker.ts';

const { scene, url, report, end } = JSON.parse(process.argv[2] ?? '') as WorkerOrder;

const reporting = {
  nothing: {},
  onEvent: { onEvent: () => undefined },
  console: { logger: console },
} satisfies Record<WorkerOrder['report'], Partial<HandleOnceOptions>>;

const options = { scope: 'billing', ...reporting[report] };
const payload = { card: 'secret' };

const scenes: Record<WorkerOrder['scene'], () => Promise<unknown>> = {
  async 'type-error'() {
    const handleOnce = createHandleOnce({ store: createMemoryStore(), ...options });
    const handler = (order: unknown) => (order as { user: { id: string } }).user.id;
    for (const key of ['order-1', 'order-2', 'order-3']) await handleOnce(key, payload, handler);
  },
  async 'one-error'() {
    const handleOnce = createHandleOnce({ store: createMemoryStore(), ...options });
    await handleOnce('order-1', payload, () => Promise.reject(new Error('no')));
  },
  async storm() {
    const handleOnce = createHandleOnce({ store: createMemoryStore(), ...options });
    const handler = () => Promise.reject(new TerminalError('card is blocked', { code: 'BLOCKED' }));
    for (let key = 1; key <= 10_000; key += 1) await handleOnce(`order-${key}`, payload, handler);
  },
  async database() {
    const sql = postgres(url, { connect_timeout: 2 });
    const handleOnce = createHandleOnce({ sql, ...options });
    for (const key of ['order-1', 'order-2']) await handleOnce(key, payload, () => 1).catch(() => undefined);
    await sql.end();
  },
};

await scenes[scene]();
if (end === 'exit') process.exit();
if (end === 'error') throw new RangeError('not caught');
