import { StoreError } from '../words/errors.ts';
import { arraysOf } from '../postgres/batch.ts';
import type { DatabaseClient } from '../postgres/database-client.ts';
import { logStatements } from './statements/logs.ts';
import { onOneLine } from '../postgres/request-rows.ts';
import type { EventLog } from './event-log.ts';
import { sharedByTables } from './shared.ts';
import { createLogWriter } from './log-writer.ts';

const EVERY_MS = 60_000;

export const statsOf = sharedByTables(createStats);

/** How often each event happened. Written once a minute, and by a flush; what is refused is sent with the next. */
function createStats(client: DatabaseClient, schema: string): EventLog {
  const statement = onOneLine(logStatements(schema).stats);
  const write = createLogWriter(client);
  const counts = new Map<string, Map<string, number>>();
  let timer: NodeJS.Timeout | undefined;
  let written: Promise<void> = Promise.resolve();

  function count(scope: string, event: string, times: number): void {
    const ofScope = counts.get(scope) ?? new Map<string, number>();
    counts.set(scope, ofScope);
    ofScope.set(event, (ofScope.get(event) ?? 0) + times);
    timer ??= setTimeout(() => void flush(), EVERY_MS).unref();
  }

  function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    written = written.then(writeCounts);
    return written;
  }

  async function writeCounts(): Promise<void> {
    const rows = [...counts].flatMap(([scope, ofScope]) =>
      [...ofScope].map(([event, count]) => ({ scope, event, count })),
    );
    if (rows.length === 0) return;
    counts.clear();
    try {
      await write(statement, arraysOf(rows, ['scope', 'event', 'count']));
    } catch (error) {
      // Rather too few than some counted twice.
      if (error instanceof StoreError && error.mayHaveLanded) return;
      for (const { scope, event, count: times } of rows) count(scope, event, times);
    }
  }

  return {
    add({ scope, type }) {
      count(scope, type, 1);
    },
    flush,
  };
}
