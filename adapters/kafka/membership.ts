/** The time for which one partition is ours, across rejoins that leave it with us. */
export interface Tenure {
  /** Aborts when the partition goes to another member, and when the consumer stops and its time is up. */
  readonly signal: AbortSignal;
  /** Whether another member has it now. */
  readonly isOver: () => boolean;
}

/** The time from one join of the group to the next. */
export interface Generation {
  /** Aborts, with the group's own error, when the group goes on without us until we join again. */
  readonly signal: AbortSignal;
  /** Tells what a heartbeat or a commit of this generation was refused with. */
  interrupt(error: Error): void;
}

/** Our place in the consumer group. */
export interface Membership {
  tenureOf(topic: string, partition: number): Tenure;
  readonly generation: () => Generation;
  /** Tells what we have been assigned. Tenures of anything else are over. */
  joined(assignment: Readonly<Record<string, readonly number[]>>): void;
  /** Aborts the handlers of all partitions, which stay ours. */
  abortAll(reason: string): void;
}

interface Held {
  readonly topic: string;
  readonly partition: number;
  readonly controller: AbortController;
  over: boolean;
}

export function createMembership(onLost: (topic: string, partition: number) => void): Membership {
  const held = new Map<string, Held>();
  let generation = createGeneration();

  function hold(topic: string, partition: number): Held {
    const entry = { topic, partition, controller: new AbortController(), over: false };
    held.set(`${topic}/${partition}`, entry);
    return entry;
  }

  function end(entry: Held): void {
    entry.over = true;
    entry.controller.abort(abortError('the partition went to another member of the group'));
    onLost(entry.topic, entry.partition);
  }

  return {
    tenureOf(topic, partition) {
      const entry = held.get(`${topic}/${partition}`) ?? hold(topic, partition);
      return { signal: entry.controller.signal, isOver: () => entry.over };
    },
    generation: () => generation,
    joined(assignment) {
      generation = createGeneration();
      for (const [id, entry] of held) {
        const isOurs = assignment[entry.topic]?.includes(entry.partition) === true;
        if (!isOurs) end(entry);
        if (!isOurs || entry.controller.signal.aborted) held.delete(id);
      }
    },
    abortAll(reason) {
      for (const { controller } of held.values()) controller.abort(abortError(reason));
    },
  };
}

function createGeneration(): Generation {
  const controller = new AbortController();
  return {
    signal: controller.signal,
    interrupt(error) {
      controller.abort(error);
    },
  };
}

function abortError(message: string): DOMException {
  return new DOMException(message, 'AbortError');
}
