import { hostname } from 'node:os';
import { PACKAGE_VERSION } from '../lib/package-version.ts';
import { WORKER_ID } from '../lib/worker-id.ts';
import type { DatabaseClient } from '../postgres/database-client.ts';
import { logStatements } from './statements/logs.ts';
import { onOneLine } from '../postgres/request-rows.ts';
import type { EventLog } from './event-log.ts';
import { REST_MS, createLogWriter } from './log-writer.ts';
import { sharedByTables } from './shared.ts';

const DAY_MS = 86_400_000;

export const workerLineOf = sharedByTables(createWorkerLine);

/** The line of this process: written with its first claim, and once a day while it claims. */
function createWorkerLine(client: DatabaseClient, schema: string): EventLog {
  const statement = onOneLine(logStatements(schema).worker);
  const write = createLogWriter(client);
  let nextAt = 0;
  let written: Promise<void> = Promise.resolve();

  async function writeLine(): Promise<void> {
    const values = [WORKER_ID, hostname(), process.pid, PACKAGE_VERSION, process.uptime() * 1_000];
    try {
      await write(statement, values.map(String));
    } catch {
      nextAt = performance.now() + REST_MS;
    }
  }

  return {
    add({ type }) {
      if (type !== 'claimed' && type !== 'taken-over') return;
      const now = performance.now();
      if (now < nextAt) return;
      nextAt = now + DAY_MS;
      written = writeLine();
    },
    flush: () => written,
  };
}
