import type { Rule } from './rule.ts';

export const runsOnce: Rule = {
  name: 'runs-once',
  promise:
    'A claim runs its handler once, and once more only where its transaction has lost a conflict, or alone where that of its batch is undone.',
  violatedBy(fact, ledger) {
    if (fact.type !== 'run') return undefined;
    const claim = ledger.inHandOf(fact.run);
    if (claim?.run === undefined) return undefined;
    if (claim.runEnd?.how === 'undone' && claim.runEnd.lostConflict) return undefined;
    if (claim.run.isUndone === true && claim.run.together.length > 1 && fact.run.together.length === 1)
      return undefined;
    return `${fact.run.life.id} runs ${fact.run.message.id} once more for the same claim`;
  },
};
