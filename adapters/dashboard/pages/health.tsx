import { findings } from '../data/findings.ts';
import { manual } from '../links.ts';
import { page } from '../page.ts';
import { table } from '../parts/values.tsx';

export const health = page({
  read: findings,
  look: ({ findings: rows }, { now }) => [
    table({
      caption: 'What doctor finds in the database',
      ...{ now, rows, empty: 'There is nothing to check.' },
      columns: {
        check: ({ check }) => check,
        level: ({ level }) => <span class={`badge ${level}`}>{level}</span>,
        found: ({ found }) => found,
        'what to do': ({ fix }) => fix,
      },
    }),
    <p class="quiet">
      This page has another client and another role than your workers: run <code>npx handle-once doctor</code>{' '}
      with the client and the role of your workers. <a href={manual('operations.md#doctor')}>Doctor</a>
    </p>,
  ],
});
