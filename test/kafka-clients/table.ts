/** What a test runner says of a case; `late` is one that passed when its file ran alone. */
export type Status = 'passed' | 'late' | 'failed' | 'skipped' | 'pending' | 'todo';

export interface StormResult {
  readonly storm: string;
  /** How many rules held. */
  readonly held: number;
  /** Those that did not, or had nothing to be looked for in. */
  readonly broken: readonly string[];
}

/** What came of the broker suite and of the storms with one client. */
export interface ClientResults {
  readonly client: string;
  readonly versions: string;
  readonly date: string;
  /** The load average of the machine, before and after. */
  readonly load: readonly [number, number];
  /** By file and name. */
  readonly cases: Readonly<Record<string, Status>>;
  readonly storms: readonly StormResult[];
  readonly isQuick: boolean;
  readonly seed: number;
}

const WORDS: Readonly<Record<Status, string>> = {
  passed: 'passed',
  late: 'passed alone',
  failed: 'FAILED',
  skipped: 'not of this client',
  pending: 'not of this client',
  todo: 'not of this client',
};

export function hasFailed({ cases, storms }: ClientResults): boolean {
  return Object.values(cases).includes('failed') || storms.some(({ broken }) => broken.length > 0);
}

/** Case by client, as a page. */
export function tableOf(clients: readonly ClientResults[]): string {
  const cases = [...new Set(clients.flatMap((of) => Object.keys(of.cases)))].toSorted();
  const storms = [...new Set(clients.flatMap((of) => of.storms.map(({ storm }) => storm)))];
  return [
    '# The broker suite and the storms, case by client',
    '',
    'Written by `npm run test:kafka-clients`. Why a case is not of a client is in [Kafka clients](../../docs/kafka-clients.md#what-differs); what the storms do is in [chaos](../../proof/chaos/README.md). A file with a case that fails runs once more, with nothing beside it: `passed alone` says that it passed then.',
    '',
    ...tableLines(
      ['client', 'run on', 'with', 'load average', 'storms'],
      clients.map((of) => [of.client, of.date, of.versions, of.load.join(' to '), stormsOf(of)]),
    ),
    '',
    '## Storms',
    '',
    ...tableLines(
      ['storm', ...clients.map(({ client }) => client)],
      storms.map((storm) => [storm, ...clients.map((of) => stormCell(of, storm))]),
    ),
    '',
    '## Cases',
    '',
    ...tableLines(
      ['case', ...clients.map(({ client }) => client)],
      cases.map((name) => [name, ...clients.map((of) => WORDS[of.cases[name] ?? 'skipped'])]),
    ),
    '',
  ].join('\n');
}

function stormsOf({ storms, seed, isQuick }: ClientResults): string {
  if (storms.length === 0) return 'not run';
  return `seed ${seed}${isQuick ? ', quick' : ''}`;
}

function stormCell({ storms }: ClientResults, name: string): string {
  const found = storms.find(({ storm }) => storm === name);
  if (found === undefined) return 'not run';
  const { held, broken } = found;
  return broken.length === 0 ? `${held} rules held` : `not held: ${broken.join('; ')}`;
}

function tableLines(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  return [head, head.map(() => '---'), ...rows].map(
    (cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`,
  );
}
