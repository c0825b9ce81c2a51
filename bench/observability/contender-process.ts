/** A contender in a process of its own: sends what a message costs, in microseconds of CPU. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { rounded, spread } from '../statistics.ts';
import { contender, type Handle, type Name } from './contenders.ts';

setFlagsFromString('--expose-gc');
/** So that each run pays for its own garbage: without it a figure varies by 20 us, more than what is measured. */
const collectGarbage = runInNewContext('gc') as () => void;

const IN_FLIGHT = 100;
/** Until the engine of Node has optimized what runs. */
const WARM_UPS = 3;
const RUNS = 7;

const [name = '', messages = ''] = process.argv.slice(2);
const createHandle = await contender(name as Name);

const costs: number[] = [];
for (let run = 0; run < WARM_UPS + RUNS; run += 1) {
  const cost = await cpuOf(createHandle(), Number(messages));
  if (run >= WARM_UPS) costs.push(cost);
}
process.send?.(rounded(spread(costs), 1).median);
process.disconnect();

/** Microseconds for each message. */
async function cpuOf(handle: Handle, count: number): Promise<number> {
  const keys = Array.from({ length: count }, (_, index) => `m-${index}`)[Symbol.iterator]();
  collectGarbage();
  const before = process.cpuUsage();
  await Promise.all(
    Array.from({ length: IN_FLIGHT }, async () => {
      for (const key of keys) await handle(key);
    }),
  );
  const { user, system } = process.cpuUsage(before);
  return (user + system) / count;
}
