import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

/** Where distributions install it. */
const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** The Chromium of the machine. */
export function startBrowser(): Promise<Browser> {
  const executablePath = PLACES.find((place) => existsSync(place));
  if (executablePath === undefined)
    throw new Error(
      'the tests of the dashboard need Chromium: run apt-get install --no-install-recommends chromium',
    );
  // Root, as in a container, has no sandbox to use.
  return chromium.launch({ executablePath, args: ['--no-sandbox'] });
}
