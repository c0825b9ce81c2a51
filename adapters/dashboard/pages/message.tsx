import { explainRecord, type Explanation } from '../../operations/explain-record.ts';
import type { RecordView } from '../../operations/record.ts';
import { showRecord } from '../../operations/show-record.ts';
import { unlistedAttempts } from '../../operations/unlisted-attempts.ts';
import { redriveCommand } from '../commands.ts';
import { stampOf } from '../data/audit.ts';
import { manual } from '../links.ts';
import { type Context, page, Refused, textIn } from '../page.ts';
import { actionForm, textField } from '../parts/forms.tsx';
import { timeline } from '../parts/timeline.tsx';
import { facts, given, link, phaseOf, table, type Value } from '../parts/values.tsx';
import { duration, errorText } from '../parts/words.ts';
import { adviceFor, caseOf } from '../phases.ts';

/** With its result as JSON text, where that was asked for by a visitor with the right. */
type Details = Pick<Explanation, 'worker'> & { readonly result: string | undefined };

export const message = page({
  title: (context) => `Message ${textIn(context, 'key') ?? ''}`,
  hasForms: ({ mayAct }) => mayAct,
  read: async (context) => {
    const { scope, key } = messageOf(context);
    const one = { ...context.tables, scope, key };
    const story = await explainRecord(one);
    const result = asksResult(context) ? (await showRecord({ ...one, result: true }))?.result : undefined;
    return { scope, key, ...story, result };
  },
  look: (data, context) => [
    <p>Scope {given(data.scope)}</p>,
    data.record === undefined ? (
      <p class="empty">
        There is no record: it was never claimed, or has expired and was purged, or was forgotten.
      </p>
    ) : (
      recordPart(data.record, data, context)
    ),
    <h2>Attempts</h2>,
    timeline(data.attempts, data.record, context.now),
    attemptTable(data, context.now),
    context.mayAct && data.record !== undefined && actions(data.record, context),
  ],
});

/** Throws `Refused`. */
export function messageOf(context: Context): { scope: string; key: string } {
  const [scope, key] = [textIn(context, 'scope'), textIn(context, 'key')];
  if (scope === undefined || key === undefined) throw new Refused('scope and key of a message are needed');
  return { scope, key };
}

function maySeeResults({ visitor: { rights = [] } }: Context): boolean {
  return rights.includes('results');
}

function asksResult(context: Context): boolean {
  return maySeeResults(context) && textIn(context, 'result') === '1';
}

function recordPart(record: RecordView, { worker, result }: Details, context: Context) {
  const { now } = context;
  const { scope, key, phase, liveUntil, attempts, failures, deaths, steps } = record;
  const { says, until, next } = adviceFor(phase);
  const items = next.map((step) => <li>{step}</li>);
  return [
    <p class="lead">
      {phaseOf(phase)} {given(says(duration(Math.abs(liveUntil.getTime() - now.getTime())), record, now))}
    </p>,
    <h2>What to do next</h2>,
    <ol>{items}</ol>,
    phase === 'failed' && <pre>{given(redriveCommand(scope, key))}</pre>,
    <h2>Record</h2>,
    facts(now, {
      Attempts: attempts,
      'Counted since its last retry': `${failures} ended with an error, the last ${deaths} lost their worker`,
      'First claimed': record.createdAt,
      'Last attempt': record.beganAt,
      'Its process': processOf(worker),
      [until]: liveUntil,
      Error: errorText(record.error),
      Result: resultOf(result, record, context),
    }),
    steps !== undefined && [
      <h2>Steps</h2>,
      table({
        caption: 'Steps that have ended: no attempt runs them again',
        ...{ now, rows: steps, empty: 'No step has ended.' },
        columns: {
          step: ({ name }) => name,
          ended: ({ endedAt }) => endedAt,
          result: ({ resultOmitted }) =>
            resultOmitted === undefined ? 'kept' : `not kept (${resultOmitted})`,
        },
      }),
    ],
  ];
}

function processOf(worker: Explanation['worker']): string | undefined {
  if (worker?.host === undefined) return worker?.id;
  return `${worker.host}, process ${worker.pid}, version ${worker.version}`;
}

function resultOf(result: string | undefined, record: RecordView, context: Context): Value {
  const { scope, key, state, resultOmitted } = record;
  if (state !== 'succeeded') return undefined;
  if (resultOmitted !== undefined) return `not kept (${resultOmitted})`;
  if (!maySeeResults(context)) return 'you have no right to see results';
  if (!asksResult(context)) return link('Show it', 'message', { scope, key, result: 1 });
  return <pre>{given(result ?? 'undefined')}</pre>;
}

function attemptTable(story: Explanation, now: Date) {
  const unlisted = unlistedAttempts(story);
  return [
    table({
      caption: 'Attempts that ended badly, the oldest first',
      ...{ now, rows: story.attempts, empty: unlisted ?? 'No attempt ended badly.' },
      columns: {
        attempt: ({ attempt }) => attempt,
        'how it ended': ({ ending, batchSize, meaning }) => [
          <b>{given(ending)}</b>,
          batchSize !== undefined && `, in a batch of ${batchSize}`,
          `: ${meaning}`,
        ],
        'why it ran again': (attempt) =>
          caseOf(attempt) && <a href={manual('guarantees.md#the-cases')}>{caseOf(attempt)}</a>,
        when: ({ endedAt }) => endedAt,
        took: ({ tookMs }) => (tookMs === undefined ? undefined : duration(tookMs)),
        process: ({ worker }) => processOf(worker),
        error: ({ error }) => errorText(error),
      },
    }),
    story.attempts.length > 0 && unlisted !== undefined && <p>{unlisted}</p>,
  ];
}

function actions(record: RecordView, context: Context) {
  const { phase, state } = record;
  const seen = <input type="hidden" name="seen" value={stampOf(record)} />;
  return [
    <h2>Actions</h2>,
    phase === 'failed' &&
      actionForm(context, 'retry', 'Retry it', [
        seen,
        <p>Retry allows it to run again. It runs when its broker or its sender delivers it again.</p>,
      ]),
    actionForm(context, 'forget', 'Forget it', [
      seen,
      <p>
        Forget deletes its record: the next delivery runs as a new message
        {state === 'succeeded' && ', although it has succeeded'}.
      </p>,
      phase === 'running' && [
        <p class="warning">
          It is running: a delivery that comes before it ends starts a second handler at the same time.
        </p>,
        textField('confirm', 'Type its key to confirm'),
      ],
    ]),
  ];
}
