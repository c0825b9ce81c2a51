import type { Rule } from './rule.ts';

export const noLateHeartbeat: Rule = {
  name: 'no-late-heartbeat',
  promise: 'A lease that its owner has given up is not extended: others need not wait for it once more.',
  violatedBy(fact, ledger, at) {
    if (fact.type !== 'asked' || fact.verb !== 'extend') return undefined;
    const claim = ledger.claimOf(fact.token);
    const confirmed = claim?.confirmed;
    if (confirmed === undefined || ledger.isExtending(fact.life, at)) return undefined;
    // Whose handler has ended asks what became of its transaction, and settles by the answer.
    if (claim?.run?.isInTransaction === true && claim.runEnd !== undefined) return undefined;
    // The signal of a batch aborts for the lease of any of its messages.
    if (claim?.runEnd?.how === 'lost its lease' && claim.run?.together.length === 1)
      return `${fact.life.id} extends ${fact.key}, whose handler has seen that the lease is lost`;
    const silentMs = fact.life.clock.monotonic() - confirmed.monotonicMs;
    if (silentMs < ledger.settingsOf(fact.life).leaseMs) return undefined;
    return `${fact.life.id} extends ${fact.key} ${Math.round(silentMs)} ms after it last heard that the lease was its own`;
  },
};
