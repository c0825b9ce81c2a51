import { AxeBuilder } from '@axe-core/playwright';
import type { Browser, Page } from 'playwright-core';

/** How each page is looked at. */
const LOOKS = [
  { width: 360, colorScheme: 'dark' },
  { width: 1280, colorScheme: 'light' },
] as const;

/** A table of Markdown has a head for each column, also for one whose cells say themselves what they are. */
const OPTIONS = { rules: { 'empty-table-header': { enabled: false } }, resultTypes: ['violations' as const] };

/** What is wrong with pages for people: wider than the screen, or a rule of axe. */
export async function faultsOf(
  browser: Browser,
  address: string,
  paths: readonly string[],
): Promise<string[]> {
  const faults = LOOKS.map(async ({ width, colorScheme }) => {
    const page = await browser.newPage({ colorScheme, viewport: { width, height: 800 } });
    const found: string[] = [];
    for (const path of paths) {
      await page.goto(address + path);
      const faultsOfPage = [...(await overflowOf(page, width)), ...(await violationsOf(page))];
      found.push(...faultsOfPage.map((fault) => `${path}, ${width} pixels, ${colorScheme}: ${fault}`));
    }
    return found;
  });
  return (await Promise.all(faults)).flat();
}

async function overflowOf(page: Page, width: number): Promise<string[]> {
  const scrolled = await page.evaluate<number>('document.documentElement.scrollWidth');
  return scrolled > width ? [`it is ${scrolled} pixels wide`] : [];
}

async function violationsOf(page: Page): Promise<string[]> {
  // Pages have no frames, and the other mode opens a page more for each.
  const { violations } = await new AxeBuilder({ page }).setLegacyMode().options(OPTIONS).analyze();
  return violations.map(({ id, nodes }) => `${nodes.length} × ${id}: ${nodes[0]?.html.slice(0, 160)}`);
}
