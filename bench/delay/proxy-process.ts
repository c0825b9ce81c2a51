/**
 * A TCP proxy that holds every chunk for a while, in a process of its own: the benchmark's own load must not delay it.
 * It is sent where to, and answers with a port that leads there.
 */
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { Target } from './delaying-proxy.ts';

const holdMs = Number(process.argv[2]);

/** Chunks on their way. All are held as long, so the oldest is always the next, of any connection. */
const onTheWay: { readonly dueAt: number; readonly arrive: () => void }[] = [];
let carrying = false;

/** A timer of Node is a whole millisecond, so this sleeps in slices; between them arrivals get their time. */
const SLICE_MS = 0.05;
const sleepCell = new Int32Array(new SharedArrayBuffer(4));

function carry(): void {
  for (;;) {
    const next = onTheWay[0];
    if (next === undefined) {
      carrying = false;
      return;
    }
    const leftMs = next.dueAt - performance.now();
    if (leftMs > 0) {
      Atomics.wait(sleepCell, 0, 0, Math.min(leftMs, SLICE_MS));
      setImmediate(carry);
      return;
    }
    onTheWay.shift();
    next.arrive();
  }
}

function later(arrive: () => void): void {
  onTheWay.push({ dueAt: performance.now() + holdMs, arrive });
  if (carrying) return;
  carrying = true;
  setImmediate(carry);
}

function forward(from: Socket, to: Socket): void {
  from.setNoDelay(true);
  from.on('data', (chunk) => {
    later(() => to.write(chunk));
  });
  from.on('close', () => {
    later(() => to.destroy());
  });
  from.on('error', () => to.destroy());
}

process.on('message', (target: Target) => {
  const server = createServer((incoming) => {
    const outgoing = connect(target);
    forward(incoming, outgoing);
    forward(outgoing, incoming);
  }).listen(0, '127.0.0.1', () => {
    process.send?.((server.address() as AddressInfo).port);
  });
});
process.once('disconnect', () => process.exit());
