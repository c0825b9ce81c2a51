import { AssertionError } from 'node:assert/strict';
import { endsWithin } from '../../src/lib/wait.ts';
import { isError } from '../../src/lib/safe-read.ts';

/** One promise of an adapter, a store or a client, as a test case for any runner. */
export interface ContractCase {
  /** The promise in words, as the name of a test. Names of one contract differ. */
  readonly name: string;
  /** Rejects when the promise is broken. Takes up to some seconds of real time. */
  readonly run: () => Promise<void>;
}

/** Promises of one kind. */
export interface Rule<Subject> {
  /** What has to hold. It is said with each promise that is broken. */
  readonly rule: string;
  /** By their names. */
  readonly cases: Readonly<Record<string, (subject: Subject) => Promise<void>>>;
}

/** What one case looks at. */
export interface Opened<Subject> {
  readonly subject: Subject;
  /** What it was asked so far, and what it answered. */
  readonly calls: readonly string[];
}

/** A case for each of some rows. */
export function each<Subject, const Row>(
  rows: readonly Row[],
  nameOf: (row: Row) => string,
  promised: (subject: Subject, row: Row) => Promise<void>,
): Rule<Subject>['cases'] {
  return Object.fromEntries(rows.map((row) => [nameOf(row), (subject: Subject) => promised(subject, row)]));
}

const LONGEST_CASE_MS = 30_000;
const LAST_CALLS = 12;

/** A case for each promise. What is opened for a case is its own. */
export function casesOf<Subject>(
  rules: readonly Rule<Subject>[],
  open: () => Promise<Opened<Subject>>,
): ContractCase[] {
  return rules.flatMap(({ rule, cases }) =>
    Object.entries(cases).map(([name, promised]) => ({
      name,
      async run() {
        let calls: readonly string[] = [];
        const running = async (): Promise<void> => {
          const opened = await open();
          ({ calls } = opened);
          await promised(opened.subject);
        };
        try {
          await inTime(running(), LONGEST_CASE_MS, 'has each call been answered?');
        } catch (error) {
          throw broken(name, rule, calls, error);
        }
      },
    })),
  );
}

/** What does not end breaks its promise too. */
export async function inTime(running: Promise<void>, longestMs: number, question: string): Promise<void> {
  if (!(await endsWithin(running, longestMs))) {
    throw new Error(`the case has not ended within ${longestMs} ms: ${question}`);
  }
  await running;
}

function broken(name: string, rule: string, calls: readonly string[], error: unknown): Error {
  const found = isError(error) ? `${error.name}: ${error.message}` : String(error);
  const asked = calls.length === 0 ? [] : ['', 'what was asked, and answered:', ...calls.slice(-LAST_CALLS)];
  const message = [`broken: ${name}`, `the rule: ${rule}`, '', found, ...asked].join('\n');
  if (!(error instanceof AssertionError)) return new Error(message, { cause: error });
  const { actual, expected, operator } = error;
  return new AssertionError({ message, actual, expected, operator });
}
