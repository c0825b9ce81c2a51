import type { Context } from '../context.ts';
import { failureGroups, failureLines, type Group, type LineFilter } from '../data/failures.ts';
import { linkTo } from '../links.ts';
import { choiceIn, page, sinceIn, spans, textIn } from '../page.ts';
import { anyOf, choiceField, filterForm, nextLink, textField } from '../parts/forms.tsx';
import { lineTable } from '../parts/line-table.tsx';
import { given, messageLink, table } from '../parts/values.tsx';
import { errorText } from '../parts/words.ts';

type Filter = LineFilter & { readonly since: string };

const ENDINGS = ['failed', 'released', 'interrupted', 'died', 'lease-lost', 'unrecorded'] as const;

export const failures = page({
  title: () => 'Failures',
  read: async (context) => {
    const { parameters } = context;
    const filter = {
      ...sinceIn(context, '24h'),
      scope: textIn(parameters, 'scope'),
      ending: choiceIn(parameters, 'ending', ENDINGS),
      error: textIn(parameters, 'error'),
    };
    const groups = await failureGroups(context, filter);
    return { filter, groups, page: await failureLines(context, filter, textIn(parameters, 'after')) };
  },
  look: ({ filter, groups, page: { lines, next } }, context) => (
    <>
      {filterForm('failures', [
        choiceField('since', 'In the last', filter.since, spans(filter.since)),
        textField('scope', 'Scope', filter.scope, 'all'),
        choiceField('ending', 'How they ended', filter.ending, anyOf(ENDINGS)),
        textField('error', 'Name of the error', filter.error, 'all'),
      ])}
      {groupTable(groups, filter, context)}
      <p class="quiet">Failures are written down best effort, so there may have been more.</p>
      <h2>Each of them</h2>
      {lineTable(lines, context.now)}
      {nextLink(next && linkTo('failures', { ...queryOf(filter), after: next }))}
    </>
  ),
});

function queryOf({ since, scope, ending, error }: Filter) {
  return { since, scope, ending, error };
}

function groupTable(rows: readonly Group[], { since }: Filter, { now, mayAct }: Context) {
  return table({
    caption: 'By scope and error, the most frequent first',
    ...{ now, rows, empty: 'No attempt ended badly in this time.' },
    columns: {
      'at least': ({ atLeast }) => atLeast,
      how: ({ ending }) => ending,
      'scope and error': ({ scope, ending, error }) => (
        <a href={linkTo('failures', { since, scope, ending, error })}>
          {given(`${scope}: ${error ?? 'no error'}`)}
        </a>
      ),
      first: ({ firstAt }) => firstAt,
      last: ({ lastAt }) => lastAt,
      'the newest': ({ scope, example: { key } }) => messageLink({ scope, key }),
      'its error': ({ example }) => errorText(example.error),
      'what to do': ({ scope, ending, error }) =>
        mayAct &&
        ending === 'failed' &&
        error !== undefined && <a href={linkTo('retry', { scope, error, since })}>Retry them all</a>,
    },
  });
}
