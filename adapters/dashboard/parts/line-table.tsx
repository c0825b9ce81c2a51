import type { LinePage } from '../data/failures.ts';
import { messageLink, phaseOf, table } from './values.tsx';
import { errorText } from './words.ts';

/** Attempts that ended badly, with what became of their messages. */
export function lineTable(rows: LinePage['lines'], now: Date, empty: string) {
  return table({
    caption: 'Attempts that ended badly, the newest first',
    ...{ now, rows, empty },
    columns: {
      key: messageLink,
      scope: ({ scope }) => scope,
      ended: ({ endedAt }) => endedAt,
      how: ({ ending }) => ending,
      attempt: ({ attempt }) => attempt,
      error: ({ error }) => errorText(error),
      'record now': ({ now: phase }) => phaseOf(phase),
    },
  });
}
