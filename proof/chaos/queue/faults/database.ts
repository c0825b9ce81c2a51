import { setTimeout as sleep } from 'node:timers/promises';
import postgres from 'postgres';
import type { Check } from '../../report.ts';
import { until } from '../../until.ts';
import { now } from '../now.ts';
import type { Act, Scene } from '../scene.ts';
import { BETWEEN, startWorkers } from './workers.ts';

/** Something is in the way of the database for a while, again and again. */
export function again(what: string, fault: (scene: Scene) => Promise<void>): Act {
  return async (scene, steps) => {
    startWorkers(scene);
    for (let step = 1; step <= steps; step += 1) {
      await scene.progress(BETWEEN);
      scene.log(`step ${step} of ${steps}: ${what}`);
      await scene.during('database', () => fault(scene));
    }
    return [noticed(scene)];
  };
}

/** A fault that no worker notices shows nothing. */
function noticed({ fleet }: Scene): Check {
  const errors = fleet.reports.filter(({ report }) => report.type === 'store-error');
  return { rule: 'workers notice it', looked: errors.length, violations: [] };
}

export async function killServer({ postgres: server, random }: Scene): Promise<void> {
  await server.kill();
  await sleep(random() * 2_000);
  await server.restart();
}

export async function cutWay({ toPostgres, random }: Scene): Promise<void> {
  await toPostgres.cut();
  await sleep(random() * 5_000);
  await toPostgres.mend();
}

export async function delayAnswers({ toPostgres, random }: Scene): Promise<void> {
  // Up to half more than a statement may take.
  toPostgres.delayReplies(random() * 1_500);
  await sleep(3_000);
  toPostgres.delayReplies(0);
}

export async function halfClose({ toPostgres }: Scene): Promise<void> {
  toPostgres.halfClose();
  await sleep(500);
}

export async function swallow({ toPostgres }: Scene): Promise<void> {
  toPostgres.silence();
  // Until the workers have given up what is silent.
  await sleep(4_000);
}

const IDLE = Buffer.from([0x5a, 0, 0, 0, 5, 0x49]);
const COMMITTED = Buffer.from('COMMIT\0');

/** Whether an answer ends a statement, or a transaction, that is now committed. */
function isCommitted(answer: Buffer): boolean {
  return answer.subarray(-IDLE.length).equals(IDLE);
}

/** Also of one that begins another transaction. */
function isCommit(answer: Buffer): boolean {
  return answer.includes(COMMITTED);
}

/** Statements, or transactions, are committed, and their connections break before the answer. */
export function loseAnswers(to: 'any statement' | 'COMMIT', share: number): Act {
  const isIt = to === 'COMMIT' ? isCommit : isCommitted;
  return async (scene, steps) => {
    const { toPostgres, faults, random } = scene;
    startWorkers(scene);
    await scene.progress(BETWEEN);
    toPostgres.loseReplies((answer) => {
      if (!isIt(answer) || random() >= share) return false;
      faults.push({ kind: 'database', from: now(), until: now(), worker: undefined });
      return true;
    });
    for (let step = 1; step <= steps; step += 1) {
      await scene.progress(BETWEEN);
      scene.log(`step ${step} of ${steps}: ${faults.length} answers are lost`);
    }
    toPostgres.loseReplies(() => false);
    // After a COMMIT the record is asked, and mostly tells that all is well: workers have nothing to report.
    return to === 'COMMIT' ? [] : [noticed(scene)];
  };
}

/** Others take each connection of the server that is free, while those of the workers end. */
export async function takeConnections({ postgres: { url }, random }: Scene): Promise<void> {
  const endsAt = now() + 2_000 + random() * 2_000;
  const control = connect(url);
  await control`select 1`;
  const storm = Array.from({ length: MOST_CONNECTIONS }, async () => {
    for (let leftMs = endsAt - now(); leftMs > 0; leftMs = endsAt - now()) {
      const other = connect(url);
      await other`select pg_sleep(${leftMs / 1_000})`.catch(() => sleep(20));
      await other.end({ timeout: 1 });
    }
  });
  const stormed = Promise.all(storm);
  while (now() < endsAt) {
    await control`
      select pg_terminate_backend(pid) from pg_stat_activity
      where backend_type = 'client backend' and pid <> pg_backend_pid() and query not like '%pg_sleep%'`;
    await sleep(200);
  }
  await stormed;
  await control.end({ timeout: 5 });
}

function connect(url: string): postgres.Sql {
  return postgres(url, { max: 1, fetch_types: false, connect_timeout: 5, onnotice: () => undefined });
}

/** Of the server: fewer than the workers and the storm want. */
export const MOST_CONNECTIONS = 40;

/** Waits until a worker tells that a statement has failed. */
export async function untilNoticed({ fleet }: Scene, before: number): Promise<void> {
  await until('a worker notices', () =>
    fleet.reports.slice(before).some(({ report }) => report.type === 'store-error'),
  );
}
