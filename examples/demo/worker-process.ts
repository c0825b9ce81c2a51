import { once } from 'node:events';
import type { Sql } from 'postgres';
import { connect } from './database.ts';
import { workerEnvironment } from './environment.ts';
import { createJournal, type Journal } from './journal.ts';

export interface WorkerProcess {
  readonly worker: number;
  readonly sql: Sql;
  readonly journal: Journal;
  /** Tells the demo that this worker is ready, and waits for the word to begin. */
  wordToBegin(): Promise<void>;
  /** Tells the demo that this worker has begun. */
  tellBegun(): void;
  /** Has the worker stop in peace when the demo asks for it. */
  onStop(stop: () => Promise<void>): void;
}

/** What all workers have in common. */
export function startWorkerProcess(): WorkerProcess {
  const { DATABASE_URL, DEMO_SCHEMA, DEMO_WORKER } = workerEnvironment();
  const worker = Number(DEMO_WORKER);
  const sql = connect(DATABASE_URL, DEMO_SCHEMA);
  const journal = createJournal(sql, worker);
  // Ctrl-C reaches every process of a terminal; what it means for workers is for the demo to say.
  process.on('SIGINT', () => undefined);
  // No worker outlives the demo, however the demo ends.
  process.once('disconnect', () => process.exit(1));

  async function end(stop: () => Promise<void>): Promise<void> {
    await stop();
    await journal.written();
    await sql.end({ timeout: 5 });
    process.exit(0);
  }

  return {
    worker,
    sql,
    journal,
    async wordToBegin() {
      const word = once(process, 'message');
      process.send?.('ready');
      await word;
    },
    tellBegun() {
      process.send?.('begun');
    },
    onStop(stop) {
      process.once('SIGTERM', () => void end(stop));
    },
  };
}
