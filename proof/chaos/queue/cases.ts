import { amidBatches } from './faults/batches.ts';
import { setClock, wallClock } from './faults/clock.ts';
import * as database from './faults/database.ts';
import { fillDisk, smallDisk } from './faults/disk.ts';
import { failOver } from './faults/failover.ts';
import { killBehindPooler } from './faults/pooler.ts';
import * as queue from './faults/queue.ts';
import { killAtPoints, killAtRandom, standStill } from './faults/workers.ts';
import type { Case } from './run-case.ts';

/** What most cases have in common. */
function ours(one: Omit<Case, 'consumer' | 'steps'> & Partial<Case>): Case {
  return { consumer: 'handle-once', steps: 6, ...one };
}

/** The same with batch handlers. They take long enough to be hit. */
function ofBatches(one: Parameters<typeof ours>[0]): Case {
  const worker = { batch: { size: 20, waitMs: 200 }, handlerMs: [200, 800] } as const;
  return ours({ ...one, act: amidBatches(one.act), worker });
}

/** By group, and by name in it. */
export const QUEUE_CASES: Readonly<
  Record<'control' | 'workers' | 'postgres' | 'sqs' | 'batches', Readonly<Record<string, Case>>>
> = {
  control: {
    'select-first': ours({
      fault: 'without a library: look for the message, effect, insert it. Workers are killed',
      ...{ consumer: 'select-first', act: killAtRandom, expects: 'doubled' },
    }),
    'insert-first': ours({
      fault: 'without a library: insert the message or skip it, effect. Workers are killed',
      ...{ consumer: 'insert-first', act: killAtRandom, expects: 'lost' },
    }),
  },
  workers: {
    killed: ours({ fault: 'SIGKILL at random', act: killAtRandom, steps: 10 }),
    points: ours({ fault: 'SIGKILL at each point between receive and delete', act: killAtPoints, steps: 2 }),
    frozen: ours({ fault: 'SIGSTOP past the lease', act: standStill }),
    clock: ours({
      fault: 'the wall clock of workers set, by seconds and by years',
      ...{ prepare: wallClock, act: setClock, steps: 8 },
    }),
  },
  postgres: {
    killed: ours({
      fault: 'PostgreSQL killed with SIGKILL',
      act: database.again('PostgreSQL is killed', database.killServer),
    }),
    transactions: ours({
      fault: 'PostgreSQL killed, handlers with `inTransaction`',
      ...{ consumer: 'in-transaction', act: database.again('PostgreSQL is killed', database.killServer) },
    }),
    cut: ours({ fault: 'connections cut', act: database.again('connections are cut', database.cutWay) }),
    delayed: ours({
      fault: 'answers delayed by up to 1.5 s',
      act: database.again('answers are delayed', database.delayAnswers),
    }),
    'half-closed': ours({
      fault: 'connections half closed',
      act: database.again('connections are half closed', database.halfClose),
    }),
    silent: ours({
      fault: 'connections open, but silent',
      act: database.again('connections are silent', database.swallow),
    }),
    replies: ours({
      fault: 'answers lost after the commit of a statement',
      act: database.loseAnswers('any statement', 0.1),
    }),
    commits: ours({
      fault: 'answers lost after COMMIT, handlers with `inTransaction`',
      ...{ consumer: 'in-transaction', act: database.loseAnswers('COMMIT', 0.2) },
    }),
    connections: ours({
      fault: '`max_connections` reached, connections of workers ended',
      settings: { max_connections: String(database.MOST_CONNECTIONS) },
      act: database.again('all connections are taken', database.takeConnections),
    }),
    failover: ours({ fault: 'failover to a synchronous standby', act: failOver, steps: 3 }),
    'disk-full': ours({
      fault: 'the disk of PostgreSQL full',
      ...{ prepare: smallDisk, act: database.again('the disk is full', fillDisk) },
    }),
    pgbouncer: ours({
      fault: 'behind PgBouncer in transaction mode: workers, PostgreSQL and PgBouncer killed',
      ...{ act: killBehindPooler, steps: 2, worker: { prepare: false } },
    }),
  },
  sqs: {
    killed: ours({
      fault: 'the SQS server killed with SIGKILL',
      ...{ queueIsStored: true, act: queue.ofQueue('the SQS server is killed', queue.killQueue) },
    }),
    cut: ours({ fault: 'connections to SQS cut', act: queue.ofQueue('connections are cut', queue.cutWay) }),
    delayed: ours({
      fault: 'answers of SQS delayed by up to 7 s',
      act: queue.ofQueue('answers are delayed', queue.delayAnswers),
    }),
    silent: ours({
      fault: 'connections to SQS open, but silent',
      act: queue.ofQueue('connections are silent', queue.swallow),
    }),
  },
  batches: {
    killed: ofBatches({
      fault: 'SIGKILL at random, handlers of batches with `inTransaction`',
      ...{ consumer: 'in-transaction', act: killAtRandom, steps: 10 },
    }),
    cut: ofBatches({
      fault: 'connections to PostgreSQL cut, handlers of batches with `inTransaction`',
      ...{ consumer: 'in-transaction', act: database.again('connections are cut', database.cutWay) },
    }),
    commits: ofBatches({
      fault: 'answers lost after COMMIT, handlers of batches with `inTransaction`',
      ...{ consumer: 'in-transaction', act: database.loseAnswers('COMMIT', 0.2) },
    }),
    marked: ofBatches({
      fault: 'SIGKILL at random, handlers of batches that throw or mark messages as failed',
      ...{ act: killAtRandom, steps: 10 },
    }),
  },
};
