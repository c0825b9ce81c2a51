import { Session } from 'node:inspector/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { PGlite } from '@electric-sql/pglite';
import type * as Core from 'handle-once';
import type * as Clients from 'handle-once/clients';
import { packageOf } from './names.ts';
import { type Package, SURFACES } from './surfaces.ts';

/** What one message passes of `src` and `adapters`, from its arrival to its acknowledgement. */
export interface Trip {
  readonly functions: number;
  readonly files: number;
  /** On the stack when the handler starts. */
  readonly frames: number;
}

/** What is done for the first messages alone does not count. */
const MESSAGES_BEFORE = 5;
/** Functions of `src` and `adapters`. The fakes are no part of a trip. */
const OWN = /\/(?:src|adapters)\/(?!testing\/)/;

/** Runs a message of each kind through the package of a checkout, over PostgreSQL in this process. */
export async function tripsIn(root: string): Promise<Map<string, Trip>> {
  const { entries } = packageOf(root);
  const load = async <Module>(name: string): Promise<Module> =>
    (await import(pathToFileURL(join(root, entries.get(name) ?? name)).href)) as Module;
  const { createHandleOnce, migrate } = await load<typeof Core>('handle-once');
  const { fromPglite } = await load<typeof Clients>('handle-once/clients');
  const database = new PGlite();
  const sql = fromPglite(database);
  await migrate(sql);

  const from: Package = { load, handleOnceOf: (scope) => createHandleOnce({ sql, scope }) };
  const coverage = await startCoverage();
  const trips = new Map<string, Trip>();
  for (const surface of Object.keys(SURFACES)) {
    trips.set(surface, await tripOf(surface, from, root, coverage));
  }
  await database.close();
  return trips;
}

async function tripOf(name: string, from: Package, root: string, coverage: Coverage): Promise<Trip> {
  let frames = 0;
  const surface = await SURFACES[name]?.(from, () => {
    frames = (new Error().stack ?? '').split('\n').filter((line) => isOwn(line, root)).length;
    return 'done';
  });
  for (let id = 0; id < MESSAGES_BEFORE; id += 1) await surface?.send(id);
  await coverage.take();
  await surface?.send(MESSAGES_BEFORE);
  const passed = (await coverage.take()).filter(({ url, functions }) => isOwn(url, root) && functions > 0);
  await surface?.close?.();
  return {
    functions: passed.reduce((sum, { functions }) => sum + functions, 0),
    files: passed.length,
    frames,
  };
}

function isOwn(place: string, root: string): boolean {
  return place.includes(`${root}/`) && OWN.test(place);
}

interface Coverage {
  /** How many functions of each file were called since the last time. */
  readonly take: () => Promise<{ url: string; functions: number }[]>;
}

async function startCoverage(): Promise<Coverage> {
  Error.stackTraceLimit = Infinity;
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  return {
    async take() {
      const { result } = await session.post('Profiler.takePreciseCoverage');
      return result.map(({ url, functions }) => ({
        url,
        functions: functions.filter(({ ranges }) => (ranges[0]?.count ?? 0) > 0).length,
      }));
    },
  };
}
