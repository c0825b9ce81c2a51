// Takes the pictures of the documentation, in light and in dark, with the Chromium of the machine:
//   npm run screenshots
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { createAdaptorServer } from '@hono/node-server';
import { migrate } from 'handle-once';
import type { Browser } from 'playwright-core';
import { withDatabase } from '../../bench/database.ts';
import { startPostgres } from '../support/services/postgres.ts';
import { startBrowser } from './support/browser.ts';
import { fillScene, SCOPE, TWICE } from './support/scene.ts';
import { ALICE, dashboardFor } from './support/visit.ts';

const FOLDER = fileURLToPath(new URL('../../docs/images/', import.meta.url));
const SIZE = { width: 1100, height: 832 };
const PAGES = {
  overview: 'view=overview',
  message: `view=message&scope=${SCOPE}&key=${TWICE}`,
};

async function take(browser: Browser, address: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    const page = await browser.newPage({ colorScheme, viewport: SIZE });
    for (const [name, query] of Object.entries(PAGES)) {
      await page.goto(`${address}/?${query}`);
      await page.screenshot({ path: `${FOLDER}dashboard-${name}-${colorScheme}.png` });
    }
  }
}

mkdirSync(FOLDER, { recursive: true });
const service = await startPostgres();
const browser = await startBrowser();
try {
  await withDatabase(service.url, async ({ sql }) => {
    await migrate(sql);
    await fillScene(sql);
    const server = createAdaptorServer({ fetch: dashboardFor(ALICE, { sql }) });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    await take(browser, `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    server.close();
  });
} finally {
  await browser.close();
  await service.stop();
}
