import { StoreError } from '../../../src/words/errors.ts';
import { createTable, idOf, lookedUp, type MemoryRecord } from '../../../testing/memory/memory.ts';
import type { ClaimReply, ClaimTerms, SettleRequest, Store } from '../../../src/store/store.ts';
import type { TransactionalStore } from '../../../src/store/transactional-store.ts';
import type { Verb } from '../facts/facts.ts';
import { isOfNeighbour, NEIGHBOUR_PREFIX, NEIGHBOUR_SCOPE } from '../plan/plan.ts';
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

/** One statement of a call. */
interface Statement<Request, Reply> {
  /** Undefined: it does nothing, and leaves the request to the statement behind it. */
  readonly answerOne: (request: Request, before: MemoryRecord | undefined) => Reply | undefined;
  /** The answer of a record that is locked. Undefined: it is done without the lock. */
  readonly whenLocked: (name: string) => Reply | undefined;
}

interface Call<Request, Reply> {
  readonly verb: Verb;
  readonly scope: string;
  readonly leaseMs: number;
  /** One after the other, each on a way of its own over the network. */
  readonly statements: readonly Statement<Request, Reply>[];
  /** `name`: of the record, as facts have it. */
  readonly tell: (
    name: string,
    request: Request,
    reply: Reply,
    before: MemoryRecord | undefined,
    askedAt: number,
  ) => void;
  readonly isOwn: (reply: Reply) => boolean;
}

/**
 * The records, with a clock of their own, as workers reach them over the network. A statement does all that it does in
 * one step, and a claim or a settle can take two of them; its verbs are those of the memory store, which the contract
 * of all stores holds to the SQL.
 */
export class Database {
  readonly #world: World;
  readonly #records = new Map<string, MemoryRecord>();
  readonly #transactions: Transactions;
  readonly #locks: Locks;
  readonly #pools = new Map<Life, Pool>();
  #aheadMs = 0;

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
    return OWN_TIME_MS + this.#world.scheduler.now() + this.#aheadMs;
  }

  /** As a clock that is stepped, or another server after a failover. */
  setClock(byMs: number): void {
    this.#aheadMs += byMs;
    this.#world.tell({
      type: 'fault',
      fault: 'clock of the database set',
      what: `by ${Math.round(byMs)} ms`,
    });
    this.#world.tell({ type: 'database-clock-set', ms: byMs });
  }

  /** The store as one process has it. */
  clientOf(life: Life): Store {
    const table = createTable(this.#records, () => this.now());
    const { tell } = this.#world;
    const tellOvertaken = ({ key }: { readonly key: string }): void => {
      tell({ type: 'fault', fault: 'record changed between two statements', life, what: key });
    };
    return {
      claim: (requests, terms) =>
        this.#send(life, requests, {
          verb: 'claim',
          scope: terms.scope,
          leaseMs: terms.leaseMs,
          statements: [
            {
              answerOne: (request, before) =>
                this.#isLapsed(before) ? undefined : table.claim(request, terms),
              whenLocked: () => undefined,
            },
            {
              answerOne: (request, before) => {
                if (!this.#isLapsed(before)) tellOvertaken(request);
                return table.claim(request, terms);
              },
              whenLocked: (key) => this.#answerToLocked(key, terms),
            },
          ],
          tell: (key, { token, fingerprint }, reply, before, sentAt) => {
            if (reply.kind === 'claimed' && before !== undefined) this.#transactions.fenceOff(before.token);
            const after = this.#snapshot(key);
            const effect = { life, key, token, fingerprint, terms, reply, before, after, sentAt };
            tell({ type: 'claim', ...effect });
          },
          isOwn: ({ kind }) => kind === 'claimed',
        }),
      settle: (requests, scope) =>
        this.#send(life, requests, {
          verb: 'settle',
          scope,
          leaseMs: this.#world.ledger.settingsOf(life).leaseMs,
          statements: [
            {
              answerOne: (request, before) =>
                isOwn(request, before) ? table.settle(request, scope) : undefined,
              whenLocked: () => 'locked',
            },
            {
              answerOne: (request, before) => {
                if (!isOwn(request, before)) return table.settle(request, scope);
                tellOvertaken(request);
                return 'lost';
              },
              whenLocked: () => undefined,
            },
          ],
          tell: (key, { token, settlement }, reply, before) => {
            // Its claim has landed between the two.
            if (reply === 'lost' && isOwn({ token }, before)) return;
            if (reply === 'settled' && before?.owned === true) this.#transactions.fenceOff(token);
            tell({ type: 'settle', life, key, token, settlement, reply, before, after: this.#snapshot(key) });
          },
          isOwn: () => false,
        }),
      extend: (requests, terms) =>
        this.#send(life, requests, {
          verb: 'extend',
          scope: terms.scope,
          leaseMs: terms.leaseMs,
          statements: [{ answerOne: (request) => table.extend(request, terms), whenLocked: () => 'locked' }],
          tell: (key, { token }, reply, before, sentAt) => {
            const after = this.#snapshot(key);
            tell({ type: 'extend', life, key, token, leaseMs: terms.leaseMs, sentAt, reply, before, after });
          },
          isOwn: (reply) => reply === 'extended',
        }),
      keep: (requests, scope) =>
        this.#send(life, requests, {
          verb: 'keep',
          scope,
          leaseMs: this.#world.ledger.settingsOf(life).leaseMs,
          statements: [{ answerOne: (request) => table.keep(request, scope), whenLocked: () => 'locked' }],
          tell: (key, { token }, reply, before) => {
            tell({ type: 'keep', life, key, token, reply, before, after: this.#snapshot(key) });
          },
          isOwn: () => false,
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
    if (failed.length > 0) this.retry(this.#world.random.pick(failed).key ?? '');
  }

  retry(key: string): void {
    const record = this.recordOf(key);
    if (record === undefined || !this.#isFailed(record)) return;
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

  /** As maintenance does: what has expired is absent anyway. */
  purge(): void {
    for (const [id, { state, liveUntil }] of [...this.#records]) {
      if (state === 'pending' || liveUntil > this.now()) continue;
      this.#records.delete(id);
      const key = this.#nameOf(...(JSON.parse(id) as [scope: string, key: string]));
      this.#world.tell({ type: 'fault', fault: 'expired record purged', what: key });
      this.#world.tell({ type: 'purged', key });
    }
  }

  async #read<Reply>(life: Life, answer: () => Reply): Promise<Reply> {
    const { network } = this.#world;
    if (!life.isAlive) return await never();
    return await network.send(life, network.fateOf(life, 'store'), answer, outOfReach);
  }

  #idOf(name: string): string {
    return isOfNeighbour(name)
      ? idOf(NEIGHBOUR_SCOPE, name.slice(NEIGHBOUR_PREFIX.length))
      : idOf(this.#world.plan.scope, name);
  }

  #nameOf(scope: string, key: string): string {
    return scope === NEIGHBOUR_SCOPE ? NEIGHBOUR_PREFIX + key : key;
  }

  /** Whether a claim finds a record that it may change. */
  #isLapsed(record: MemoryRecord | undefined): boolean {
    return record !== undefined && record.liveUntil <= this.now();
  }

  #isFailed(record: MemoryRecord | undefined): boolean {
    return record?.state === 'failed' && record.liveUntil > this.now();
  }

  async #send<Request extends { readonly key: string; readonly token: string }, Reply>(
    life: Life,
    requests: readonly Request[],
    call: Call<Request, Reply>,
  ): Promise<readonly Reply[]> {
    if (!life.isAlive) return await never();
    const { scheduler, tell } = this.#world;
    const { verb } = call;
    const askedAt = scheduler.now();
    const asked = { monotonicMs: life.clock.monotonic(), shownMs: life.shownMs() };
    const nameOf = ({ key }: Request): string => this.#nameOf(call.scope, key);
    for (const request of requests)
      tell({ type: 'asked', verb, life, key: nameOf(request), token: request.token });
    try {
      const replies = await this.#call(life, requests, call, askedAt);
      return requests.map((request) => {
        const reply = replies.get(request) as Reply;
        const of = { life, key: nameOf(request), token: request.token };
        if (reply === 'lost') tell({ type: 'denied', ...of });
        if (call.isOwn(reply)) tell({ type: 'confirmed', verb, ...of, askedAt: asked });
        return reply;
      });
    } finally {
      tell({ type: 'answered', verb, life });
    }
  }

  /** Runs the statements of a call, each for the requests that those before it have left. */
  async #call<Request extends { readonly key: string; readonly token: string }, Reply>(
    life: Life,
    requests: readonly Request[],
    call: Call<Request, Reply>,
    askedAt: number,
  ): Promise<ReadonlyMap<Request, Reply>> {
    const replies = new Map<Request, Reply>();
    for (const statement of call.statements) {
      const left = requests.filter((request) => !replies.has(request));
      if (left.length === 0) break;
      const what = { verb: call.verb, tokens: requests.map(({ token }) => token) };
      const run = () => this.#run(life, left, call, statement, { from: askedAt, ...what });
      try {
        const more = await (this.#world.plan.settings.connections === undefined
          ? run()
          : this.#onConnection(life, what, run));
        left.forEach((request, index) => {
          const reply = more[index];
          if (reply !== undefined) replies.set(request, reply);
        });
      } catch (error) {
        throw replies.size === 0 || isRefusal(error) ? error : outOfReach(true);
      }
    }
    return replies;
  }

  #run<Request extends { readonly key: string; readonly token: string }, Reply>(
    life: Life,
    requests: readonly Request[],
    call: Call<Request, Reply>,
    statement: Statement<Request, Reply>,
    what: Omit<Trouble, 'to'>,
  ): Promise<readonly (Reply | undefined)[]> {
    if (!life.isAlive) return never();
    const { network, scheduler } = this.#world;
    const fate = network.fateOf(life, 'store');
    if (fate.fault !== undefined) {
      const patienceMs = fate.answer === 'silence' ? call.leaseMs : fate.answersAfterMs;
      const to = scheduler.now() + Math.max(patienceMs, fate.landsAfterMs ?? 0);
      life.troubles.push({ ...what, to });
    }
    const land = (): readonly (Reply | undefined)[] | StoreError =>
      this.#land(life, requests, call, statement, what.from);
    return network.send<readonly (Reply | undefined)[]>(life, fate, land, outOfReach);
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
    requests: readonly Request[],
    call: Call<Request, Reply>,
    statement: Statement<Request, Reply>,
    askedAt: number,
  ): readonly (Reply | undefined)[] | StoreError {
    if (requests.some(hasRefusedText)) {
      this.#world.tell({ type: 'fault', fault: 'result refused by the store', life });
      return new StoreError('the database refused a value', { retriable: false, dataRefused: true });
    }
    return requests.map((request) => {
      const name = this.#nameOf(call.scope, request.key);
      const before = this.#snapshot(name);
      const lock = this.#lockOf(name, before);
      const locked = lock && statement.whenLocked(name);
      if (locked !== undefined) {
        this.#world.tell({ type: 'fault', fault: 'record locked', life, what: name });
        if (lock?.isLong === true) life.troubles.push({ ...lock, verb: call.verb, tokens: [request.token] });
        return locked;
      }
      const reply = statement.answerOne(request, before);
      if (reply !== undefined) call.tell(name, request, reply, before, askedAt);
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

function isRefusal(error: unknown): boolean {
  return error instanceof StoreError && error.dataRefused;
}

function isOwn({ token }: { readonly token: string }, record: MemoryRecord | undefined): boolean {
  return record?.token === token && record.owned;
}

function hasRefusedText(request: object): boolean {
  const { settlement } = request as Partial<SettleRequest>;
  return settlement?.kind === 'succeed' && settlement.result?.includes(REFUSED_TEXT) === true;
}
