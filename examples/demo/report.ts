import colors from 'picocolors';
import type { Words } from './broker.ts';
import type { Effects, RecordsTally, Tally } from './tally.ts';
import { wrap } from './wrap.ts';

export interface Results {
  readonly once: Tally & RecordsTally;
  readonly control: Tally;
}

/** Whether handle-once kept its word: every order charged and mailed, none of them charged twice. */
export function keptItsWord({ charges, emails }: Pick<Tally, 'charges' | 'emails'>): boolean {
  return charges.lost === 0 && charges.doubled === 0 && emails.lost === 0;
}

/** The table, and what it means. */
export function report(results: Results, words: Words): string {
  return [...table(results, words), '', ...explanation(results, words)].join('\n');
}

function table({ once, control }: Results, words: Words): string[] {
  return [
    colors.bold(row('', 'handle-once', 'control')),
    row('messages sent', once.messages, control.messages),
    row('distinct orders', once.orders, control.orders),
    row('deliveries', once.deliveries, control.deliveries),
    row(words.disturbances, once.disturbances, control.disturbances),
    row('handler runs', once.runs, control.runs),
    row('records succeeded', once.succeeded, '-'),
    row('replays', once.replays, '-'),
    row('takeovers', once.takeovers, '-'),
    ...effectRows('charges', once.charges, control.charges),
    ...effectRows('emails', once.emails, control.emails),
  ];
}

function effectRows(name: string, once: Effects, control: Effects): string[] {
  return [
    row(name, once.total, control.total),
    row('  orders lost', zeroIsGood(once.lost), zeroIsGood(control.lost)),
    row('  orders doubled', zeroIsGood(once.doubled), zeroIsGood(control.doubled)),
  ];
}

type Cell = string | number | { readonly text: string; readonly color: (text: string) => string };

function zeroIsGood(count: number): Cell {
  return { text: String(count), color: count === 0 ? colors.green : colors.red };
}

function row(name: string, ...cells: Cell[]): string {
  return name.padEnd(20) + cells.map(column).join('');
}

/** Colours count as characters: a cell is filled up before it gets its own. */
function column(cell: Cell): string {
  return typeof cell === 'object' ? cell.color(cell.text.padStart(14)) : String(cell).padStart(14);
}

function explanation({ once, control }: Results, words: Words): string[] {
  return [
    verdict(once),
    ...paragraph(
      'Emails',
      `with handle-once ${once.emails.doubled} orders were mailed twice. A worker that dies between an effect and ` +
        'its record leaves an effect without a record, and the next attempt has it again. Charges have the same ' +
        "gap, and the provider closes it: it takes an idempotency key, and got attempt.childKey('charge'), the same " +
        'on every attempt. The mail server does not accept such a key.',
    ),
    ...(words.deliveries === undefined ? [] : paragraph('Deliveries', words.deliveries)),
    ...paragraph(
      'Control',
      `${words.control} It has no key that outlives a run, so each run is a new charge. With the order id as its key ` +
        'the provider would have refused second charges there too, and the emails would have remained: ' +
        `${control.emails.doubled} orders mailed twice.`,
    ),
  ];
}

function paragraph(title: string, text: string): string[] {
  const [first = '', ...rest] = wrap(`${title}: ${text}`);
  return ['', first.replace(title, colors.bold(title)), ...rest];
}

function verdict(once: Tally): string {
  const { charges, emails } = once;
  return keptItsWord(once)
    ? colors.green('With handle-once no charge was lost and none was doubled.')
    : colors.red(
        `With handle-once ${charges.lost} orders were not charged, ${charges.doubled} were charged more than once, ` +
          `and ${emails.lost} were not mailed.`,
      );
}
