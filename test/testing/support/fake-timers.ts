/** A process of its own, since a runner needs its ticks: what is handed to timers from now on waits without end. */
import { createHandleOnce } from '../../../src/index.ts';
import { createMemoryStore } from '../../../testing/index.ts';

const held = () => ({ unref: () => undefined });
const nextTick = process.nextTick.bind(process);
process.nextTick = () => undefined;
globalThis.queueMicrotask = () => undefined;
Object.assign(globalThis, { setTimeout: held, setInterval: held, setImmediate: held });

const store = createMemoryStore();
const handleOnce = createHandleOnce({ store, scope: 'test', onEvent: () => undefined });
let calls = 0;
const charge = () => {
  calls += 1;
  if (calls === 1) throw new Error('down');
  return 'charged';
};
const call = () => handleOnce('order-7', { cents: 995 }, charge);
const first = await call();
store.advance(1_000);
const second = await call();
const third = await call();

process.nextTick = nextTick;
const ends = [
  first.state === 'pending' && first.reason,
  second.state === 'succeeded' && second.result,
  third.state === 'succeeded' && third.replayed && `${third.result} again from the record`,
];
console.log(ends.join(', '));
