import { StoreError } from '../api/errors.ts';
import { arraysOf } from '../store/postgres/batch.ts';
import type { DatabaseClient } from '../store/postgres/database-client.ts';
import { notedStatements } from '../store/postgres/statements/noted.ts';
import { onOneLine } from '../store/postgres/statements/request-rows.ts';
import type { Noted } from './recorded.ts';
import { sharedByTables } from './shared.ts';
import { writeBeside } from './write-beside.ts';

const EVERY_MS = 60_000;

export const statsOf = sharedByTables(createStats);

/** How often each event happened. Written once a minute; what is refused goes along with the next. */
function createStats(client: DatabaseClient, schema: string): Noted {
  const statement = onOneLine(notedStatements(schema).stats);
  const write = writeBeside(client);
  const counts = new Map<string, Map<string, number>>();
  let timer: NodeJS.Timeout | undefined;

  function add(scope: string, event: string, count: number): void {
    const ofScope = counts.get(scope) ?? new Map<string, number>();
    counts.set(scope, ofScope);
    ofScope.set(event, (ofScope.get(event) ?? 0) + count);
    timer ??= setTimeout(() => void writeCounts(), EVERY_MS).unref();
  }

  async function writeCounts(): Promise<void> {
    timer = undefined;
    const rows = [...counts].flatMap(([scope, ofScope]) =>
      [...ofScope].map(([event, count]) => ({ scope, event, count })),
    );
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
  };
}
