/**
 * Storms that take too long for the tests: processes, servers and networks fail under load, and what is then in the
 * database, in the queue and in Kafka is compared with what handleOnce promises. Ends with 1 when a promise was broken.
 * `npm run chaos -- kafka`; `npm run chaos -- workers postgres killed --seed 7` for all of a group and one of another,
 * with the decisions of an earlier run. TEST_DATABASE_URL and KAFKA_BROKERS for services of your own.
 */
import { writeFileSync } from 'node:fs';
import { parseOptions } from './options.ts';
import { toTable } from './queue/row.ts';
import { holds } from './report.ts';
import { runScenarios } from './run-scenarios.ts';
import { SCENARIOS } from './scenarios.ts';

const options = parseOptions(process.argv.slice(2), SCENARIOS);
console.log(`seed ${options.seed}`);
const reports = await runScenarios(options);
const rows = reports.flatMap(({ row }) => (row === undefined ? [] : [row]));
if (rows.length > 0) console.log(`${toTable(rows)}\n`);
if (options.output !== undefined) writeFileSync(options.output, JSON.stringify(reports));
const isKept = reports.every(({ checks }) => checks.every(holds));
console.log(isKept ? `All held, seed ${options.seed}` : `Not all held: repeat with --seed ${options.seed}`);
process.exit(isKept ? 0 : 1);
