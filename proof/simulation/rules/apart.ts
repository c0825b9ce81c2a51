import type { Ledger } from '../facts/ledger.ts';
import type { Run } from '../facts/facts.ts';
import type { Rule } from './rule.ts';

export const apart: Rule = {
  name: 'apart',
  promise: 'A message that has lost its worker begins beside a batch of its process only after a lease.',
  violatedBy(fact, ledger, at) {
    if (fact.type !== 'run') return undefined;
    const { life, message } = fact.run;
    const { grantedAt = at, leaseMs = Infinity } = ledger.inHandOf(fact.run) ?? {};
    if (at - grantedAt >= leaseMs) return undefined;
    const isBeside = isBatch(fact.run) ? hasLostWorker : isBatch;
    if (!isBatch(fact.run) && !hasLostWorker(fact.run, ledger)) return undefined;
    const beside = ledger.runningIn(life).find((run) => isBeside(run, ledger));
    return beside && `${life.id} runs ${message.id} beside ${beside.message.id}`;
  },
};

function isBatch({ together }: Run): boolean {
  return together.length > 1;
}

function hasLostWorker({ message }: Run, ledger: Ledger): boolean {
  return ledger.ofKey(message.key ?? '').deaths > 0;
}
