/** One exhaustive search of a model. */
export interface Search {
  readonly model: 'protocol' | 'watermark';
  /** Whether it looks for what must never happen, or for what must happen in the end. */
  readonly looksFor: 'safety' | 'termination';
  /** What the model is built with: its sizes, and the name of a planted bug. */
  readonly defines: readonly string[];
  /** How the verifier is compiled: -O1 takes four times as long as -O0, and makes the search twice as fast. */
  readonly optimization: '-O0' | '-O1';
}

/** A search in which everything has to hold. */
export interface Case extends Search {
  readonly name: string;
}

/** The rule of termination. The others are in the rules.pml of each model. */
export const EVERYTHING_ENDS = 'everything_ends';

function whole(
  model: Search['model'],
  looksFor: Search['looksFor'],
  name: string,
  ...defines: string[]
): Case {
  return { model, looksFor, name, defines, optimization: '-O1' };
}

/** What CI looks at, in a second each. */
export const QUICK_CASES: readonly Case[] = [
  { ...whole('protocol', 'safety', 'two workers, one fault', 'WORKERS=2', 'FAULTS=1'), optimization: '-O0' },
  { ...whole('watermark', 'safety', 'two members, one fault', 'FAULTS=1'), optimization: '-O0' },
];

export const CASES: readonly Case[] = [
  whole('protocol', 'safety', 'two workers, two faults', 'WORKERS=2', 'FAULTS=2'),
  whole('protocol', 'termination', 'two workers, one fault', 'WORKERS=2', 'FAULTS=1'),
  whole('watermark', 'safety', 'two members, two faults', 'FAULTS=2'),
  whole('watermark', 'termination', 'two members, one fault', 'FAULTS=1'),
];

/** What takes minutes and gigabytes: `npm run model -- --large`. */
export const LARGE_CASES: readonly Case[] = [
  whole('protocol', 'safety', 'three workers, one fault', 'WORKERS=3', 'FAULTS=1'),
  whole('protocol', 'safety', 'two workers, three faults', 'WORKERS=2', 'FAULTS=3'),
  whole('protocol', 'termination', 'two workers, two faults', 'WORKERS=2', 'FAULTS=2'),
  whole('watermark', 'safety', 'two members, three faults', 'FAULTS=3'),
  whole('watermark', 'termination', 'two members, two faults', 'FAULTS=2'),
];

/** A bug in a model: a search that has to find it. */
export interface Bug extends Search {
  readonly name: string;
  readonly whatIsWrong: string;
  /** The rule that it breaks. */
  readonly rule: string;
}

const planted = (
  model: Search['model'],
  name: string,
  rule: string,
  whatIsWrong: string,
  sizes: readonly string[] = [rule === EVERYTHING_ENDS ? 'FAULTS=1' : 'FAULTS=2'],
): Bug => ({
  model,
  name,
  rule,
  whatIsWrong,
  looksFor: rule === EVERYTHING_ENDS ? 'termination' : 'safety',
  // It ends at the first counterexample, mostly sooner than a compiler that optimizes.
  optimization: '-O0',
  defines: [...sizes, `BUG_${name.toUpperCase().replaceAll('-', '_')}`],
});

export const BUGS: readonly Bug[] = [
  planted('protocol', 'attempt-not-counted', 'attempts_counted', 'A takeover does not count its attempt.'),
  planted('protocol', 'deaf-signal', 'acts_in_lease', 'A handler acts without a look at its signal.'),
  planted(
    'protocol',
    'deaths-without-limit',
    'limits_kept',
    'A message that kills its workers is never given up.',
    ['FAULTS=3'],
  ),
  planted('protocol', 'delete-before-settle', 'nothing_lost', 'A message is deleted before its settle.'),
  planted(
    'protocol',
    'extend-by-key',
    'fenced',
    'A heartbeat extends the lease of another owner of the key.',
  ),
  planted('protocol', 'in-flight-deleted', 'nothing_lost', 'A duplicate of a message in flight is deleted.'),
  planted(
    'protocol',
    'late-claim-runs',
    'acts_in_lease',
    'A handler starts though the reply to its claim came after its lease.',
  ),
  planted(
    'protocol',
    'lease-from-reply',
    'acts_in_lease',
    'A worker counts its lease from the reply to its claim.',
  ),
  planted(
    'protocol',
    'no-release-before-claim',
    'deaths_counted',
    'A claim does not release one before it whose reply was lost.',
  ),
  planted('protocol', 'no-takeover', EVERYTHING_ENDS, 'A lease that has lapsed is never taken over.'),
  planted('protocol', 'settle-by-key', 'fenced', 'A settle ends the attempt of another owner of the key.'),
  planted('protocol', 'settled-runs-again', 'settled_stays', 'A failed record runs again.'),
  planted('protocol', 'take-back-counts', 'attempts_counted', 'A claim that is taken back stays counted.'),
  planted(
    'protocol',
    'takeover-early',
    'acts_in_lease',
    'A lease is judged by a clock that is ahead of the owner’s.',
  ),
  planted(
    'protocol',
    'token-sent-again',
    'one_owner',
    'A claim whose reply was lost is sent again with its token.',
  ),
  planted(
    'protocol',
    'unrecorded-deleted',
    'nothing_lost',
    'A message is deleted though its settle got no reply.',
  ),
  planted(
    'watermark',
    'commits-highest',
    'commits_pass_nothing',
    'The highest acknowledged offset is committed.',
  ),
  planted(
    'watermark',
    'commits-whole-fetch',
    'commits_pass_nothing',
    'The end of a fetch is committed, whatever became of its messages.',
  ),
  planted('watermark', 'committed-once', 'nothing_skipped', 'A commit that failed is not sent again.'),
  planted('watermark', 'gap-waited-for', EVERYTHING_ENDS, 'Offsets without a message are waited for.'),
  planted(
    'watermark',
    'kept-not-fetched-again',
    'commits_pass_nothing',
    'The next fetch begins after a message that was kept.',
  ),
  planted(
    'watermark',
    'kept-passed',
    'commits_pass_nothing',
    'A message that was kept counts as acknowledged.',
  ),
  planted(
    'watermark',
    'no-first-commit',
    'nothing_skipped',
    'Handlers run before a first position is committed.',
  ),
  planted('watermark', 'no-generation', 'commits_pass_nothing', 'What a zombie commits is accepted.'),
];
