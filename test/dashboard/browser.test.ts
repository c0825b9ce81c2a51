import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { getRequestListener } from '@hono/node-server';
import { AxeBuilder } from '@axe-core/playwright';
import { createHandleOnce, TerminalError } from 'handle-once';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { useDatabase } from '../support/database.ts';
import { startBrowser } from './support/browser.ts';
import { FAILED, fillScene, SCOPE, STEPPED, TWICE } from './support/scene.ts';
import { ALICE, dashboardFor } from './support/visit.ts';

const { sql } = useDatabase();
// One page: a process of Chromium for each would take longer than its test.
let page: Page;
let address: string;
let close: () => Promise<void>;

beforeAll(async () => {
  await fillScene(sql);
  const listener = getRequestListener(dashboardFor(ALICE, { sql }));
  const server = createServer((request, response) => void listener(request, response));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/queue`;
  const browser = await startBrowser();
  page = await (await browser.newContext()).newPage();
  close = async () => {
    await browser.close();
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };
});

afterAll(() => close());

async function open(query: string): Promise<void> {
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize({ width: 1280, height: 640 });
  await page.goto(`${address}?${query}`);
}

const VIEWS = [
  'view=overview',
  'view=messages',
  'view=messages&phase=failed',
  'view=messages&by=place',
  `view=message&scope=${SCOPE}&key=${TWICE}`,
  `view=message&scope=${SCOPE}&key=${FAILED}`,
  `view=message&scope=${SCOPE}&key=${STEPPED}`,
  `view=message&scope=${SCOPE}&key=order-2&result=1`,
  'view=failures',
  'view=health',
  'view=retry&scope=invoices&error=TerminalError',
  'view=audit',
  'view=nothing',
];

describe('For people', () => {
  test.each(VIEWS)(
    '%s has no violation of axe, in light and in dark, and fits a small screen',
    async (view) => {
      await open(view);
      // Pages have no frames, and the other mode opens a page more for each.
      const axe = new AxeBuilder({ page }).setLegacyMode();
      const inLight = await axe.analyze();
      // Nothing but colours differs.
      await page.emulateMedia({ colorScheme: 'dark' });
      const inDark = await axe.withRules(['color-contrast']).analyze();
      for (const { violations } of [inLight, inDark])
        expect(violations.map(({ id, nodes }) => [id, nodes[0]?.html])).toEqual([]);

      await page.setViewportSize({ width: 360, height: 640 });
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
    },
  );

  test('the keyboard reaches the content first', async () => {
    await open('view=overview');
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent.trim()')).toBe('Skip to the content');
  });
});

describe('By a browser', () => {
  test('a message is found, looked at and retried, and the audit says so', async () => {
    await open('view=overview');
    await page.getByRole('link', { name: 'Messages', exact: true }).click();
    await page.getByLabel('Key, or its beginning').fill(FAILED);
    await page.getByRole('button', { name: 'Show' }).click();
    await page.getByRole('link', { name: FAILED }).click();
    expect(await page.getByText('Failed permanently (terminal)').count()).toBe(1);
    await page.getByRole('button', { name: 'Retry it' }).click();
    expect(await page.getByText('It waits for a delivery').count()).toBeGreaterThan(0);
    await page.getByRole('link', { name: 'Audit' }).click();
    expect(await page.getByRole('cell', { name: 'alice' }).count()).toBe(1);
  });

  test('all messages that one bug has failed are retried by one button', async () => {
    await open('view=failures');
    await page
      .getByRole('row', { name: 'invoices: TerminalError' })
      .getByRole('link', { name: 'Retry them all' })
      .click();
    await page.getByLabel('Type 12 to confirm').fill('12');
    await page.getByRole('button', { name: 'Retry them' }).click();
    await expect
      .poll(async () => {
        await page.reload();
        return page.getByText('12 of 12').count();
      })
      .toBe(1);
  });
});

describe('Texts of a producer', () => {
  const HOSTILE = `"'><script>document.title='owned'</script><img src=x onerror="document.title='owned'"><svg onload=alert(1)>\u202e{{7*7}}`;

  class HostileError extends Error {
    override readonly name = HOSTILE;
    readonly code = HOSTILE;
  }

  test('run nothing, change no page, and are shown as they are', async () => {
    const scope = HOSTILE.replaceAll('>', '›');
    const handleOnce = createHandleOnce({ sql, scope, onEvent: () => undefined, stats: true });
    await handleOnce(HOSTILE, {}, async (_, attempt) => {
      await attempt.step(HOSTILE, () => HOSTILE);
      throw new HostileError(HOSTILE);
    });
    await handleOnce(`2${HOSTILE}`, {}, () => HOSTILE);
    await handleOnce(`3${HOSTILE}`, {}, () => {
      throw new TerminalError(HOSTILE, { cause: new HostileError(HOSTILE) });
    });
    await handleOnce.close();
    await sql`update handle_once.workers set host = ${HOSTILE}, version = ${HOSTILE}`;
    const of = (query: Record<string, string>) => new URLSearchParams({ scope, ...query }).toString();
    const views = [
      'view=overview',
      'view=failures',
      ...['messages', 'failures', 'retry'].map((view) => of({ view, error: HOSTILE, key: HOSTILE })),
      ...['', '2', '3'].map((first) => of({ view: 'message', key: `${first}${HOSTILE}`, result: '1' })),
      `view=${encodeURIComponent(HOSTILE)}`,
    ];
    const ran: string[] = [];
    page.on('dialog', (dialog) => void dialog.dismiss().then(() => ran.push(dialog.message())));
    for (const view of views) {
      await open(view);
      expect(await page.title(), view).not.toBe('owned');
      expect(await page.locator('script, img, iframe, object, [onload], [onerror]').count(), view).toBe(0);
      expect(await page.locator('svg:not([role=img])').count(), view).toBe(0);
      expect(ran).toEqual([]);
      expect(`${await page.title()} ${await page.innerText('body')}`).not.toContain('\u202e');
    }
  });

  test('could run nothing if they came through: the policy of the page forbids it', async () => {
    await open('view=overview');
    const refused = page.waitForEvent('console', (message) =>
      message.text().includes('Content Security Policy'),
    );
    await page.evaluate(
      `document.body.insertAdjacentHTML('beforeend', '<img src=x onerror="document.title=1">')`,
    );
    await refused;
    expect(await page.title()).not.toBe('1');
  });
});
