import { createServer } from 'node:http';
import { once } from 'node:events';
import { getRequestListener } from '@hono/node-server';
import { createDashboard } from 'handle-once/dashboard';
import { migrate } from 'handle-once';
import { startPostgres } from './test/support/services/postgres.ts';
import { withDatabase } from './bench/database.ts';
import { fillScene, TWICE, FAILED, STEPPED } from './test/dashboard/support/scene.ts';
import { startBrowser } from './test/dashboard/support/browser.ts';
const pg = await startPostgres();
await withDatabase(pg.url, async ({ sql }) => {
  await migrate(sql);
  await fillScene(sql);
  const d = createDashboard({ sql, authorize: () => ({ name: 'tester', rights: ['act', 'results'] }), actions: { secret: 'x'.repeat(40) } });
  const server = createServer(getRequestListener(d, { errorHandler: (e) => { console.error(e); return new Response('x', { status: 500 }); } }));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as { port: number };
  const browser = await startBrowser();
  const views = { overview: '', messages: '?view=messages', failed: '?view=messages&state=failed', place: '?view=messages&by=place', key: '?view=messages&key=order-1', twice: `?view=message&scope=billing&key=${TWICE}`, failedone: `?view=message&scope=billing&key=${FAILED}`, steps: `?view=message&scope=billing&key=${STEPPED}`, failures: '?view=failures', health: '?view=health', retry: '?view=retry&scope=invoices&error=TerminalError', audit: '?view=audit', action: '?view=action&id=1', bad: '?view=xx' };
  for (const [scheme, width] of [['light', 1100], ['dark', 1100], ['light', 360]] as const) {
    const page = await browser.newPage({ colorScheme: scheme, viewport: { width, height: 800 } });
    for (const [name, q] of Object.entries(views)) {
      if (scheme === 'dark' && !['overview', 'twice', 'failures'].includes(name)) continue;
      const r = await page.goto(`http://127.0.0.1:${port}/${q}`);
      const over = await page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth');
      console.log(name, width, r?.status(), over ? 'OVERFLOW' : '');
      await page.screenshot({ path: `/tmp/shots/${name}-${scheme}-${width}.png`, fullPage: true });
    }
    await page.close();
  }
  await browser.close();
  server.close(); server.closeAllConnections();
});
await pg.stop();
