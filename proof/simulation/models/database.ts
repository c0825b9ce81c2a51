import { StoreError } from '../../../src/words/errors.ts';
import {
  createTable,
  idOf,
  lookedUp,
  type MemoryRecord,
  type MemoryTable,
} from '../../../testing/memory/memory.ts';
import type { ClaimReply, ClaimTerms, SettleRequest, Store } from '../../../src/store/store.ts';
import type { TransactionalStore } from '../../../src/store/transactional-store.ts';
import type { Verb } from '../facts/facts.ts';
import type { Life, Trouble } from '../time/life.ts';
import { never } from '../time/never.ts';
import type { World } from '../world/world.ts';
import { type Lock, Locks } from './locks.ts';
import { PATIENCE_MS, Pool } from './pool.ts';
import { type Transaction, Transactions } from './transactions.ts';

/** A text that the database cannot store, as U+0000 is to PostgreSQL. */
export const REFUSED_TEXT = 'refused-text';

/** Far from every clock of the workers: only differences count. */
const OWN_TIME_MS = 5_000_000_000;

interface Statement<Request, Reply> {
  readonly verb: Verb;
  readonly leaseMs: number;
  readonly answerOne: (table: MemoryTable, request: Request) => Reply;
  /** The answer of a record that is locked. Undefined: this one is not. */
  readonly whenLocked: (request: Request) => Reply | undefined;
  readonly tell: (request: Request, reply: Reply, before: MemoryRecord | undefined, askedAt: number) => void;
  readonly isOwn: (reply: Reply) => boolean;
}

/**
 * The records, with a clock of their own, as workers reach them over the network. A statement does all that it does in
 * one step; its verbs are those of the memory store, which the contract of all stores holds to the SQL.
 */
export class Database {
  readonly #world: World;
  readonly #records = new Map<string, MemoryRecord>();
  readonly #transactions: Transactions;
  readonly #locks: Locks;
  readonly #pools = new Map<Life, Pool>();

  constructor(world: World) {
    this.#world = world;
    this.#locks = new Locks(world);
    this.#transactions = new Transactions(world, {
      isOwner: ({ key, token }) => {
        const record = this.recordOf(key);
        return record?.token === token && record.owned;
      },
      refuses: hasRefusedText,
      settle: (life, request, scope) => {
        this.#settle(life, request, scope);
      },
      poolOf: (life) => this.poolOf(life),
    });
  }

  recordOf(key: string): MemoryRecord | undefined {
    return this.#records.get(this.#idOf(key));
  }

  /** The connections of a process. */
  poolOf(life: Life): Pool {
    const known = this.#pools.get(life);
    if (known !== undefined) return known;
    const pool = new Pool(this.#world, life);
    this.#pools.set(life, pool);
    return pool;
  }

  /** Milliseconds by its own clock. */
  now(): number {
    return OWN_TIME_MS + this.#world.scheduler.now();
  }

  /** The store as one process has it. */
  clientOf(life: Life): Store {
    const table = createTable(this.#records, () => this.now());
    const { tell } = this.#world;
    return {
      claim: (requests, terms) =>
        this.#send(life, table, requests, {
          verb: 'claim',
          leaseMs: terms.leaseMs,
          answerOne: (of, request) => of.claim(request, terms),
          whenLocked: ({ key }) => this.#answerToLocked(key, terms),
          tell: ({ key, token, fingerprint }, reply, before, sentAt) => {
            if (reply.kind === 'claimed' && before !== undefined) this.#transactions.fenceOff(before.token);
            const after = this.#snapshot(key);
            const effect = { life, key, token, fingerprint, terms, reply, before, after, sentAt };
            tell({ type: 'claim', ...effect });
          },
          isOwn: ({ kind }) => kind === 'claimed',
        }),
      settle: (requests, scope) =>
        this.#send(life, table, requests, {
          verb: 'settle',
          leaseMs: this.#world.plan.settings.leaseMs,
          answerOne: (of, request) => of.settle(request, scope),
          whenLocked: () => 'locked',
          tell: ({ key, token, settlement }, reply, before) => {
            if (reply === 'settled' && before?.owned === true) this.#transactions.fenceOff(token);
            tell({ type: 'settle', life, key, token, settlement, reply, before, after: this.#snapshot(key) });
          },
          isOwn: () => false,
        }),
      extend: (requests, terms) =>
        this.#send(life, table, requests, {
          verb: 'extend',
          leaseMs: terms.leaseMs,
          answerOne: (of, request) => of.extend(request, terms),
          whenLocked: () => 'locked',
          tell: ({ key, token }, reply, before, sentAt) => {
            const after = this.#snapshot(key);
            tell({ type: 'extend', life, key, token, leaseMs: terms.leaseMs, sentAt, reply, before, after });
          },
          isOwn: (reply) => reply === 'extended',
        }),
      check: () => this.#read(life, () => undefined),
      lookup: (key, scope) =>
        this.#read(life, () => lookedUp(this.#records.get(idOf(scope, key)), this.now())),
    };
  }

  /** The same with transactions. */
  transactionalClientOf(life: Life): TransactionalStore<Transaction> {
    return this.#transactions.clientOf(life, this.clientOf(life));
  }

  /** What a transaction has put on record. */
  #settle(life: Life, request: SettleRequest, scope: string): void {
    const { key, token, settlement } = request;
    const before = this.#snapshot(key);
    const reply = createTable(this.#records, () => this.now()).settle(request, scope);
    this.#world.tell({
      type: 'settle',
      life,
      key,
      token,
      settlement,
      reply,
      before,
      after: this.#snapshot(key),
    });
  }

  /** As the operation of that name, which changes nothing but failed records that have not expired. */
  retryAny(): void {
    const { messages } = this.#world.plan;
    const failed = messages.filter(({ key = '' }) => this.#isFailed(this.recordOf(key)));
    if (failed.length === 0) return;
    const { key = '' } = this.#world.random.pick(failed);
    const record = this.recordOf(key) as MemoryRecord;
    const counters = { failures: 0, deaths: 0, failedReason: null };
    Object.assign(record, { state: 'pending', owned: false, ...counters, liveUntil: this.now() });
    this.#world.tell({ type: 'fault', fault: 'operator retried a record', what: key });
    this.#world.tell({ type: 'retried', key });
  }

  forget(key: string): void {
    if (this.#transactions.isLocked(key) || !this.#records.delete(this.#idOf(key))) return;
    this.#world.tell({ type: 'fault', fault: 'operator forgot a record', what: key });
    this.#world.tell({ type: 'forgotten', key });
  }

  async #read<Reply>(life: Life, answer: () => Reply): Promise<Reply> {
    const { network } = this.#world;
    if (!life.isAlive) return await never();
    return await network.send(life, network.fateOf(life, 'store'), answer, outOfReach);
  }

  #idOf(key: string): string {
    return idOf(this.#world.plan.scope, key);
  }

  #isFailed(record: MemoryRecord | undefined): boolean {
    return record?.state === 'failed' && record.liveUntil > this.now();
  }

  async #send<Request extends { readonly key: string; readonly token: string }, Reply>(
    life: Life,
    table: MemoryTable,
    requests: readonly Request[],
    statement: Statement<Request, Reply>,
  ): Promise<readonly Reply[]> {
    if (!life.isAlive) return await never();
    const { scheduler, tell, plan } = this.#world;
    const { verb } = statement;
    const askedAt = scheduler.now();
    const askedAtMonotonic = life.clock.monotonic();
    for (const { key, token } of requests) tell({ type: 'asked', verb, life, key, token });
    const tokens = requests.map(({ token }) => token);
    const call = (): Promise<readonly Reply[]> => this.#call(life, table, requests, statement, askedAt);
    try {
      const replies = await (plan.settings.connections === undefined
        ? call()
        : this.#onConnection(life, { verb, tokens }, call));
      requests.forEach(({ key, token }, index) => {
        if (!statement.isOwn(replies[index] as Reply)) return;
        tell({ type: 'confirmed', verb, life, key, token, askedAt: askedAtMonotonic });
      });
      return replies;
    } finally {
      tell({ type: 'answered', verb, life });
    }
  }

  #call<Request extends { readonly key: string; readonly token: string }, Reply>(
    life: Life,
    table: MemoryTable,
    requests: readonly Request[],
    statement: Statement<Request, Reply>,
    askedAt: number,
  ): Promise<readonly Reply[]> {
    if (!life.isAlive) return never();
    const { network, scheduler } = this.#world;
    const fate = network.fateOf(life, 'store');
    if (fate.fault !== undefined) {
      const patienceMs = fate.answer === 'silence' ? statement.leaseMs : fate.answersAfterMs;
      const to = scheduler.now() + Math.max(patienceMs, fate.landsAfterMs ?? 0);
      const tokens = requests.map(({ token }) => token);
      life.troubles.push({ from: askedAt, to, verb: statement.verb, tokens });
    }
    const land = (): readonly Reply[] | StoreError => this.#land(life, table, requests, statement, askedAt);
    return network.send<readonly Reply[]>(life, fate, land, outOfReach);
  }

  /** Makes a call on a connection of the pool, which is closed where it gets no answer. */
  async #onConnection<Reply>(
    life: Life,
    what: Pick<Trouble, 'verb' | 'tokens'>,
    call: () => Promise<Reply>,
  ): Promise<Reply> {
    const giveBack = await this.poolOf(life).take(what);
    let timer;
    const closed = new Promise<never>((_, reject) => {
      timer = life.clock.setTimer(() => {
        reject(outOfReach(true));
      }, PATIENCE_MS);
    });
    try {
      return await Promise.race([call(), closed]);
    } finally {
      life.clock.clearTimer(timer);
      giveBack();
    }
  }

  #land<Request extends { readonly key: string; readonly token: string }, Reply>(
    life: Life,
    table: MemoryTable,
    requests: readonly Request[],
    statement: Statement<Request, Reply>,
    askedAt: number,
  ): readonly Reply[] | StoreError {
    if (requests.some(hasRefusedText)) {
      this.#world.tell({ type: 'fault', fault: 'result refused by the store', life });
      return new StoreError('the database refused a value', { retriable: false, dataRefused: true });
    }
    return requests.map((request) => {
      const before = this.#snapshot(request.key);
      const lock = this.#lockOf(request.key, before);
      const locked = lock && statement.whenLocked(request);
      if (locked !== undefined) {
        this.#world.tell({ type: 'fault', fault: 'record locked', life, what: request.key });
        if (lock?.isLong === true)
          life.troubles.push({ ...lock, verb: statement.verb, tokens: [request.token] });
        return locked;
      }
      const reply = statement.answerOne(table, request);
      statement.tell(request, reply, before, askedAt);
      return reply;
    });
  }

  #lockOf(key: string, record: MemoryRecord | undefined): Lock | undefined {
    const now = this.#world.scheduler.now();
    if (this.#transactions.isLocked(key)) return { from: now, to: now, isLong: true };
    return record && this.#locks.met(key);
  }

  #answerToLocked(key: string, { leaseMs }: ClaimTerms): ClaimReply {
    return { kind: 'in-flight', attempts: this.recordOf(key)?.attempts ?? 0, retryAfterMs: leaseMs / 3 };
  }

  #snapshot(key: string): MemoryRecord | undefined {
    const record = this.recordOf(key);
    return record && { ...record };
  }
}

function outOfReach(mayHaveLanded: boolean): StoreError {
  return new StoreError('the database cannot be reached', { retriable: true, mayHaveLanded });
}

function hasRefusedText(request: object): boolean {
  const { settlement } = request as Partial<SettleRequest>;
  return settlement?.kind === 'succeed' && settlement.result?.includes(REFUSED_TEXT) === true;
}
