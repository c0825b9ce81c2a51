import type { Rule } from './rule.ts';

export const stepsOnce: Rule = {
  name: 'steps-once',
  promise: 'A step whose result a handler has been given does not run again while its record lives.',
  violatedBy(fact, ledger) {
    if (fact.type !== 'step-began' || ledger.stepOf(fact)?.given === undefined) return undefined;
    const claim = ledger.claimOfRun(fact.run);
    // Its process was frozen with all of its clocks.
    const wasTakenOver = claim !== undefined && ledger.ofKey(claim.key).owner !== claim;
    if (wasTakenOver && ledger.seemsKept(claim)) return undefined;
    return `${fact.run.life.id} runs ${fact.name} of ${fact.run.message.id} again`;
  },
};

export const stepsTruthful: Rule = {
  name: 'steps-truthful',
  promise: 'A step gives what its code has returned, and from then on always the same.',
  violatedBy(fact, ledger) {
    if (fact.type !== 'step') return undefined;
    const { done, given } = ledger.stepOf(fact) ?? {};
    const isTrue = given === undefined ? done?.has(fact.result) !== false : given.result === fact.result;
    return isTrue ? undefined : `${fact.name} of ${fact.run.message.id} gives ${String(fact.result)}`;
  },
};

export const stepsEnded: Rule = {
  name: 'steps-ended',
  promise: 'A message does not succeed while a step of its attempt runs.',
  violatedBy(fact, ledger) {
    if (fact.type !== 'settle' || fact.before?.state === 'succeeded' || fact.after?.state !== 'succeeded')
      return undefined;
    const { owner, steps } = ledger.ofKey(fact.key);
    const open = [...steps].find(([, step]) => owner?.run !== undefined && step.open.has(owner.run));
    return open && `${fact.key} succeeds while its ${open[0]} runs`;
  },
};

export const stepsInLease: Rule = {
  name: 'steps-in-lease',
  promise: 'A step starts only for a claim whose lease has not lapsed.',
  violatedBy(fact, ledger, at) {
    if (fact.type !== 'step-began') return undefined;
    const claim = ledger.claimOfRun(fact.run);
    if (claim === undefined || ledger.byDatabase(at) < claim.leaseEnd || ledger.seemsKept(claim))
      return undefined;
    return `${fact.run.life.id} starts ${fact.name} of ${claim.key} after its lease has lapsed`;
  },
};
