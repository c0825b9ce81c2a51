import { arrayLiteral } from '../../../src/postgres/array.ts';
import type { Context } from '../page.ts';
import { read } from './read.ts';

const TABLES = ['records', 'failures', 'stats', 'workers', 'archive'];
const DAY_MS = 86_400_000;
const MOST_WORKERS = 200;

/** In bytes, and in rows as the server estimates them; each with its partitions. */
export async function tableSizes(context: Context) {
  const rows = await read(context, 'sizes', [context.tables.databaseSchema, arrayLiteral(TABLES)]);
  return rows.map(([name, ...figures]) => {
    const [tableBytes = 0, indexBytes = 0, liveRows = 0, deadRows = 0] = figures.map(Number);
    return { name: name ?? '', tableBytes, indexBytes, liveRows, deadRows };
  });
}

/** Those of the last day: a process writes that it is there once a day, while it claims. */
export async function workersSeen(context: Context) {
  const rows = await read(context, 'workers', [DAY_MS, MOST_WORKERS]);
  return rows.map(([id, host, pid, version, startedMs, seenMs]) => ({
    ...{ id: id ?? '', host: host ?? '', pid: Number(pid), version: version ?? '' },
    startedAt: new Date(Number(startedMs)),
    seenAt: new Date(Number(seenMs)),
  }));
}
