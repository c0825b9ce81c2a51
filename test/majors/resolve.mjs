// For processes that tests start: what test/majors/package.json names comes from there.
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { URL } from 'node:url';

const here = new URL('package.json', import.meta.url);
const { dependencies } = JSON.parse(readFileSync(here, 'utf8'));

registerHooks({
  resolve(specifier, context, next) {
    if (!Object.hasOwn(dependencies, specifier)) return next(specifier, context);
    if (specifier === 'pg-boss') return next(new URL('pg-boss.mjs', here).href, context);
    return next(specifier, { ...context, parentURL: here.href });
  },
});
