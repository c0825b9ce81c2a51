import { describe } from 'vitest';
import { attemptsContract } from './contract/attempts.ts';
import { batchContract } from './contract/batch.ts';
import { claimContract } from './contract/claim.ts';
import { expiryContract } from './contract/expiry.ts';
import { extendContract } from './contract/extend.ts';
import { lookupContract } from './contract/lookup.ts';
import { mismatchContract } from './contract/mismatch.ts';
import { releaseContract } from './contract/release.ts';
import { settleContract } from './contract/settle.ts';
import { actorOn, type MakeStore } from './contract/actor.ts';
import { takeoverContract } from './contract/takeover.ts';
import { textContract } from './contract/text.ts';

export type StoreContract = (name: string, makeStore: MakeStore) => void;

/** What every store must do, told through its three verbs alone. Time moves by `advance`; no test sleeps. */
export function storeContract(name: string, makeStore: MakeStore): void {
  describe(`${name} keeps the contract of a store`, () => {
    const newActor = () => actorOn(makeStore());
    claimContract(newActor);
    releaseContract(newActor);
    takeoverContract(newActor);
    attemptsContract(newActor);
    mismatchContract(newActor);
    lookupContract(newActor);
    expiryContract(newActor);
    settleContract(newActor);
    extendContract(newActor);
    batchContract(newActor);
    textContract(newActor);
  });
}

/**
 * For a store that keeps the contract elsewhere, over another client or other settings: each kind of reply, and each
 * kind of text, get through. With TEST_CONTRACT=full it is the whole contract.
 */
export function storeSmokeTest(name: string, makeStore: MakeStore): void {
  if (process.env['TEST_CONTRACT'] === 'full') {
    storeContract(name, makeStore);
    return;
  }
  describe(`${name} works as a store`, () => {
    const newActor = () => actorOn(makeStore());
    batchContract(newActor);
    textContract(newActor);
  });
}
