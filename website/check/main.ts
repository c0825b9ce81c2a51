// Opens pages of the built site in the Chromium of the machine, wide and narrow, light and dark:
//   npm run site:look                     the manual, the evidence, and of the API one page of each kind
//   npm run site:look -- --sample         one page of each kind, and of the API one
//   npm run site:look -- docs/kafka.html  these
import { startBrowser } from '../../test/dashboard/support/browser.ts';
import { builtPages } from './links.ts';
import { faultsOf } from './looks.ts';
import { pagesToLookAt, sampleOf } from './pages.ts';
import { serveSite } from './serve.ts';

function pagesOf(args: readonly string[]): readonly string[] {
  if (args.length === 0) return pagesToLookAt(builtPages());
  return args[0] === '--sample' ? sampleOf(builtPages()) : args;
}

const pages = pagesOf(process.argv.slice(2));
const [site, browser] = await Promise.all([serveSite(), startBrowser()]);
try {
  const faults = await faultsOf(browser, site.address, pages);
  console.log(`${pages.length} pages, ${faults.length} faults`);
  for (const fault of faults) console.error(fault);
  process.exitCode = faults.length > 0 || pages.length === 0 ? 1 : 0;
} finally {
  await browser.close();
  site.close();
}
