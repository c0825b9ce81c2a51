import { Gate } from '../../../src/adapter-kit.ts';

export type Slots = ReturnType<typeof createSlots>;

/** Room for a number of handlers at once. */
export function createSlots(count: number) {
  const gate = new Gate(count);
  return {
    /** Waits for room, in a line. Returns what gives it back, once. */
    take: (line: string): Promise<() => void> =>
      new Promise((resolve) => {
        gate.enter(() => {
          resolve(leaveOnce(gate));
        }, line);
      }),
  };
}

function leaveOnce(gate: Gate): () => void {
  let hasLeft = false;
  return () => {
    if (hasLeft) return;
    hasLeft = true;
    gate.leave();
  };
}
