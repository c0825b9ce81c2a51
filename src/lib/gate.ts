/** Room for a number of statements at once; those that ask for it get it in their order. */
export interface Gate {
  /** Calls back once there is room, at once if there is. The caller gives the room back by `leave`. */
  enter(start: () => void): void;
  leave(): void;
  /** While it is shut no more are let in, whatever room there is. */
  setShut(isShut: boolean): void;
}

export function createGate(room: number): Gate {
  const waiting: (() => void)[] = [];
  let inside = 0;
  let isShut = false;

  function admit(): void {
    while (!isShut && inside < room) {
      const next = waiting.shift();
      if (next === undefined) return;
      inside += 1;
      next();
    }
  }

  return {
    enter(start) {
      waiting.push(start);
      admit();
    },
    leave() {
      inside -= 1;
      admit();
    },
    setShut(shut) {
      isShut = shut;
      admit();
    },
  };
}
