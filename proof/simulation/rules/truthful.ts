import type { Settlement } from '../../../src/store/store.ts';
import type { RunEnd } from '../facts.ts';
import type { Rule } from './rule.ts';

export const truthful: Rule = {
  name: 'truthful',
  promise: 'What is put on record is how the handler ended, with what it returned.',
  violatedBy(fact, ledger) {
    if (fact.type !== 'settle' || fact.before?.owned !== true || fact.after?.owned !== false)
      return undefined;
    const claim = ledger.claimOf(fact.token);
    if (claim === undefined || isTrue(fact.settlement, claim.runEnd)) return undefined;
    const how = claim.runEnd?.how ?? (claim.run === undefined ? 'never started' : 'still runs');
    return `${fact.key} is put on record as ${fact.settlement.kind}, and its handler ${how}`;
  },
};

/** What a failure can be, when it is not the last one. */
const COUNTED: ReadonlySet<RunEnd['how']> = new Set(['threw', 'gave up', 'undone'] as const);

function isTrue(settlement: Settlement, end: RunEnd | undefined): boolean {
  switch (settlement.kind) {
    case 'succeed':
      return end?.how === 'returned' && (!end.canBeStored || settlement.resultOmitted === null);
    case 'fail':
      return end !== undefined && end.how !== 'returned' && end.how !== 'lost its lease';
    case 'release':
      return settlement.uncounted ? end?.how !== 'returned' : end !== undefined && COUNTED.has(end.how);
  }
}
