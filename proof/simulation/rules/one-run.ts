import type { Rule } from './rule.ts';

export const oneRun: Rule = {
  name: 'one-run',
  promise: 'A handler that looks at its signal does nothing any more once another run of its key has begun.',
  violatedBy(fact, ledger) {
    if (fact.type !== 'effect' || !fact.run.heeds) return undefined;
    const { run } = fact;
    const own = ledger.claimOfRun(run);
    const { claims } = ledger.ofKey(run.message.key ?? '');
    const place = own === undefined ? -1 : claims.indexOf(own);
    // Its record was forgotten.
    if (place === -1) return undefined;
    const newer = claims.slice(place + 1).find((claim) => claim.run !== undefined);
    if (newer === undefined || own === undefined || ledger.seemsKept(own)) return undefined;
    return `${run.life.id} goes on with ${newer.key}, though ${newer.life.id} has begun to run it`;
  },
};
