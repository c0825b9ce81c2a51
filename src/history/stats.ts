import { StoreError } from '../words/errors.ts';
import { arraysOf } from '../postgres/batch.ts';
import type { DatabaseClient } from '../postgres/database-client.ts';
import { notedStatements } from './statements/noted.ts';
import { onOneLine } from '../postgres/request-rows.ts';
import type { Noted } from './recorded.ts';
import { sharedByTables } from './shared.ts';
import { writeBeside } from './write-beside.ts';

const EVERY_MS = 60_000;

export const statsOf = sharedByTables(createStats);

/** How often each event happened. Written once a minute, and by a flush; what is refused goes along with the next. */
function createStats(client: DatabaseClient, schema: string): Noted {
  const statement = onOneLine(notedStatements(schema).stats);
  const write = writeBeside(client);
  const counts = new Map<string, Map<string, number>>();
  let timer: NodeJS.Timeout | undefined;
  let written: Promise<void> = Promise.resolve();

  function add(scope: string, event: string, count: number): void {
    const ofScope = counts.get(scope) ?? new Map<string, number>();
    counts.set(scope, ofScope);
    ofScope.set(event, (ofScope.get(event) ?? 0) + count);
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
      // Less than happened, rather than some of it twice.
      if (error instanceof StoreError && error.mayHaveLanded) return;
      for (const { scope, event, count } of rows) add(scope, event, count);
    }
  }

  return {
    note({ scope, type }) {
      add(scope, type, 1);
    },
    flush,
  };
}
