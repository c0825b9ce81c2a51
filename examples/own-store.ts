/**
 * A store of your own, here one that keeps results, errors and steps encrypted in another store, and its test: what
 * every store promises, case by case. `npx tsx examples/own-store.ts`
 */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import type { ClaimReply, Settlement, Store } from 'handle-once/store';
import { storeContract } from 'handle-once/contracts';
import { createMemoryStore } from 'handle-once/testing';

const IV_BYTES = 12;
const TAG_BYTES = 16;

function encrypt(text: string, key: Buffer): string {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, iv);
  const data = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), data]).toString('base64');
}

function decrypt(encrypted: string, key: Buffer): string {
  const bytes = Buffer.from(encrypted, 'base64');
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, IV_BYTES));
  decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
  const data = decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES));
  return Buffer.concat([data, decipher.final()]).toString('utf8');
}

function encryptedStore(store: Store, key: Buffer): Store {
  const read = (text: string | null) => (text === null ? null : decrypt(text, key));

  function opened<Reply extends ClaimReply>(reply: Reply): Reply {
    if (reply.kind === 'succeeded') return { ...reply, result: read(reply.result) };
    if (reply.kind === 'claimed' && reply.steps !== undefined) {
      return { ...reply, steps: decrypt(reply.steps, key) };
    }
    if (reply.kind === 'failed' || reply.kind === 'released') return { ...reply, error: read(reply.error) };
    return reply;
  }

  function closed(settlement: Settlement): Settlement {
    switch (settlement.kind) {
      case 'succeed':
        return { ...settlement, result: settlement.result === null ? null : encrypt(settlement.result, key) };
      case 'fail':
        return { ...settlement, error: encrypt(settlement.error, key) };
      case 'release':
        return { ...settlement, error: settlement.error === null ? null : encrypt(settlement.error, key) };
    }
  }

  return {
    claim: async (requests, terms) => (await store.claim(requests, terms)).map(opened),
    settle: (requests, scope) =>
      store.settle(
        requests.map((request) => ({ ...request, settlement: closed(request.settlement) })),
        scope,
      ),
    extend: (requests, terms) => store.extend(requests, terms),
    async keep(requests, scope) {
      const kept = requests.map((request) => ({ ...request, steps: encrypt(request.steps, key) }));
      return (await store.keep?.(kept, scope)) ?? [];
    },
    async lookup(recordKey, scope) {
      const reply = await store.lookup?.(recordKey, scope);
      return reply === undefined ? undefined : opened(reply);
    },
  };
}

const cases = storeContract({
  can: { lookup: true, steps: true },
  open() {
    const memory = createMemoryStore();
    return {
      store: encryptedStore(memory, randomBytes(32)),
      advance: (_scope, milliseconds) => {
        memory.advance(milliseconds);
      },
    };
  },
});
for (const { name, run } of cases) test(name, run);
