/**
 * Measures handleOnce beside what else one could use, interleaved in one run on one database with durable commits.
 * `npm run bench`; `npm run bench -- core delay` for some sections, `npm run bench -- --quick` for a short run.
 * TEST_DATABASE_URL, TEST_SQS_ENDPOINT, KAFKA_BROKERS and TEST_REDIS_URL for services that run already.
 */
import { startPostgres } from '../test/support/services/postgres.ts';
import { buildPackage } from './built.ts';
import { parseOptions } from './options.ts';
import { installPeers } from './peers.ts';
import { environment, load } from './report/machine.ts';
import { toMarkdown } from './report/markdown.ts';
import { keepResults } from './report/results.ts';
import { runSection } from './section-process.ts';

const { sections, quick } = parseOptions(process.argv.slice(2));
await installPeers();
await buildPackage();
const service = await startPostgres();
try {
  const found = await environment(service.url);
  console.log(JSON.stringify(found, null, 2));
  for (const name of sections) {
    const before = load();
    const startedAt = performance.now();
    const figures = await runSection(name, service.url, quick);
    if (figures === undefined) continue;
    const seconds = Math.round((performance.now() - startedAt) / 1_000);
    console.log(`\n${toMarkdown(name, figures)}\n\n${name} took ${seconds} s`);
    // For a look, not for the record.
    if (quick || name === 'before') continue;
    const date = new Date().toISOString();
    await keepResults({ [name]: { date, ...found, load: [before, load()], ...figures } });
  }
} finally {
  await service.stop();
}
