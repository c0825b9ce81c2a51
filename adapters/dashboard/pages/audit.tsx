import { type Action, actionOf, actionsOn } from '../data/audit.ts';
import { redriveCommand } from '../commands.ts';
import { page, textIn } from '../page.ts';
import { actionForm, nextLink } from '../parts/forms.tsx';
import { facts, given, link, messageLink, table } from '../parts/values.tsx';
import { count } from '../parts/words.ts';

/** A process writes that it is there each second. */
const SILENT_MS = 60_000;

export const audit = page({
  read: actionsOn,
  look: ({ actions, next }, { now }) => [
    table({
      caption: 'Actions in the dashboard, the newest first. Commands are not listed here.',
      ...{ now, rows: actions },
      empty: 'No record was retried or forgotten in the dashboard. Commands are not listed here.',
      columns: {
        when: ({ begunAt }) => begunAt,
        who: ({ person }) => person,
        what: ({ action: name, id }) => link(name, 'action', { id }),
        of: subjectOf,
        done: doneOf,
        outcome: (each) => outcomeOf(each, now),
      },
    }),
    nextLink('audit', {}, next),
  ],
});

/** One of them: how far it has come, and its end. */
export const action = page({
  title: (context) => `Action ${textIn(context, 'id') ?? ''}`,
  hasForms: ({ mayAct }) => mayAct,
  read: actionOf,
  look: (data, context) => {
    const { action: name, person, begunAt, endedAt, done, expected, filter, scope = '', key } = data;
    const isRunning = endedAt === undefined && !isSilent(data, context.now);
    return [
      facts(context.now, {
        ...{ What: name, Of: subjectOf(data), Who: person, When: begunAt },
        Outcome: outcomeOf(data, context.now),
      }),
      <p>
        <progress max={expected} value={done} aria-label="done" /> {doneOf(data)}
      </p>,
      name === 'retry' && [
        <p>
          A retried message runs when its broker or its sender delivers it again. If there are dead letters:
        </p>,
        <pre>{given(redriveCommand(scope, key))}</pre>,
      ],
      context.mayAct &&
        isRunning &&
        actionForm(context, 'stop', 'Stop it', [
          <p>Stop ends it after the current record. It does not undo records that are done.</p>,
        ]),
      name === 'retry' && filter !== undefined && !isRunning && done < expected && (
        <p>{link('Count the others', 'retry', { scope: filter.scope, error: filter.error })}</p>
      ),
    ];
  },
});

function subjectOf({ action: name, scope = '', key, filter }: Action) {
  if (key !== undefined) return messageLink({ scope, key });
  return name === 'stop' ? 'an action that was running' : given(`all of ${scope} with ${filter?.error}`);
}

function doneOf({ done, expected }: Action): string {
  return `${count(done)} of ${count(expected)}`;
}

function isSilent({ endedAt, seenAt }: Action, now: Date): boolean {
  return endedAt === undefined && now.getTime() - seenAt.getTime() > SILENT_MS;
}

function outcomeOf(one: Action, now: Date): string {
  if (one.outcome !== undefined) return one.outcome;
  if (isSilent(one, now)) return 'its process gave no sign for a minute: it did at least this much';
  return one.isStopping ? 'stopping' : 'running';
}
