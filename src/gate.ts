/** Room for a number of statements at once; those that ask for it get it in their order. */
export interface Gate {
  /** Calls back once there is room, at once if there is. The caller gives the room back by `leave`. */
  enter(start: () => void): void;
  leave(): void;
}

export function createGate(room: number): Gate {
  const waiting: (() => void)[] = [];
  let inside = 0;
  return {
    enter(start) {
      if (inside < room) {
        inside += 1;
        start();
      } else {
        waiting.push(start);
      }
    },
    leave() {
      const next = waiting.shift();
      if (next === undefined) inside -= 1;
      else next();
    },
  };
}
