import type { Explanation } from './explain-record.ts';
import { isOfLife } from './meaning.ts';
import { LINES_PER_RECORD } from './statements/history.ts';

/** How many attempts neither succeeded nor have a line, as a sentence. Undefined: all have one. */
export function unlistedAttempts({ record, attempts }: Explanation): string | undefined {
  if (record === undefined) return undefined;
  if (attempts.length >= LINES_PER_RECORD) return `only the newest ${LINES_PER_RECORD} are listed`;
  const { state, phase } = record;
  const isLastGood = state === 'succeeded' || phase === 'running' || phase === 'lapsed';
  const ended = isLastGood ? record.attempts - 1 : record.attempts;
  // The next attempt has the number of one that was interrupted.
  const listed = attempts.filter((line) => isOfLife(line, record) && line.ending !== 'interrupted');
  const numbers = new Set(listed.map(({ attempt }) => attempt).filter((attempt) => attempt <= ended));
  const count = ended - numbers.size;
  if (count <= 0) return undefined;
  return (
    `${count} ${count === 1 ? 'attempt that did not succeed has' : 'attempts that did not succeed have'} no line: the ` +
    'worker died, or could not write it (then it writes none for a minute; doctor says whether its role may), more than ' +
    '100 a second failed, HTTP answered 4xx, a reply of the database was lost, or the line was deleted'
  );
}
