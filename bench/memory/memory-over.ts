import type { Contender } from '../core/contender.ts';

const MIB = 1_048_576;

/** Resident memory, in MiB, at even steps while one process handles many messages. The first step is warm-up. */
export async function memoryOver(contender: Contender, messages: number, steps: number): Promise<number[]> {
  const resident: number[] = [];
  const perStep = messages / steps;
  for (let step = 0; step < steps; step += 1) {
    const keys = Array.from({ length: perStep }, (_, index) => `m-${step * perStep + index}`)[
      Symbol.iterator
    ]();
    await Promise.all(
      Array.from({ length: 100 }, async () => {
        for (const key of keys) await contender.handle(key, { orderId: key, cents: 1, note: 'memory' });
      }),
    );
    resident.push(Math.round(process.memoryUsage.rss() / MIB));
  }
  return resident;
}
