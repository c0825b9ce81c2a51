import { describeError, textOf } from './describe.ts';
import type { ReportedEvent, Row } from './table.ts';

/** Of one code in a window. */
const MOST_LINES = 10;
const WINDOW_MS = 60_000;

interface Line {
  readonly row: Row;
  readonly event: ReportedEvent;
}

interface Window {
  /** What has a line: events, or what their lines say of an error. */
  readonly printed: Set<unknown>;
  /** How many were not printed. */
  unprinted: number;
  /** The last that was not printed. */
  last: Line | undefined;
}

interface Warning {
  readonly code: string;
  readonly message: string;
}

const TYPE = 'HandleOnceWarning';

/** Windows whose summaries are to come. Shared, so that a process has one listener. */
const heldBack = new Set<Window>();
/** Node prints a warning at the next tick, which `process.exit()` does not wait for. */
const waiting = new Set<Warning>();
let isListening = false;

function listenForExit(): void {
  if (isListening) return;
  isListening = true;
  process.on('exit', () => {
    for (const window of heldBack) summarise(window);
    for (const { code, message } of waiting)
      process.emit('warning', Object.assign(new Error(message), { name: TYPE, code }));
  });
}

/**
 * Prints events as process warnings, at most ten lines of a code in a window.
 *
 * A window opens with its first event, and at its end one line says how many were not printed. A process that ends
 * prints these lines first, unless a signal ends it.
 */
export function createWarnings(): (row: Row, event: ReportedEvent) => void {
  const windows = new Map<string, Window>();

  /** The timer of a window does not keep the process alive. */
  function windowOf(code: string): Window {
    const known = windows.get(code);
    if (known !== undefined) return known;
    const window = { printed: new Set(), unprinted: 0, last: undefined };
    windows.set(code, window);
    setTimeout(() => {
      windows.delete(code);
      summarise(window);
    }, WINDOW_MS).unref();
    return window;
  }

  return (row, event) => {
    const window = windowOf(row.code);
    const { printed } = window;
    const subject = subjectOf(row, event);
    if (printed.has(subject) || printed.size >= MOST_LINES) {
      holdBack(window, { row, event });
    } else {
      printed.add(subject);
      emitWarning(row, textOf(row, event));
    }
  };
}

/** Events with the same subject have one line in a window. */
function subjectOf({ prints }: Row, event: ReportedEvent): unknown {
  if (prints === 'each-event') return event;
  return event.error && describeError(event.error);
}

function holdBack(window: Window, line: Line): void {
  window.unprinted += 1;
  window.last = line;
  heldBack.add(window);
}

function summarise(window: Window): void {
  const { last, unprinted } = window;
  if (last === undefined) return;
  emitWarning(last.row, summaryOf(unprinted, last));
  window.unprinted = 0;
  window.last = undefined;
  heldBack.delete(window);
}

function summaryOf(unprinted: number, { row, event }: Line): string {
  const count = unprinted.toLocaleString('en-US');
  const minutes = WINDOW_MS / 60_000;
  return `${count} more within ${minutes} min were not printed; the last: ${textOf(row, event)}`;
}

function emitWarning({ code }: Row, message: string): void {
  hintIfSilent();
  listenForExit();
  const warning = { code, message };
  waiting.add(warning);
  process.emitWarning(message, { type: TYPE, code });
  process.nextTick(() => waiting.delete(warning));
}

const HINT =
  'handle-once: a problem is not printed, because Node runs with --no-warnings or NODE_NO_WARNINGS. Pass logger ' +
  '(such as console) or onEvent to createHandleOnce; or use --disable-warning=ExperimentalWarning instead of --no-warnings\n';

let hasHinted = false;

/** Says on stderr, once in a process, that Node prints no warnings. */
function hintIfSilent(): void {
  if (hasHinted || !isSilent()) return;
  hasHinted = true;
  process.stderr.write(HINT);
}

/** Whether Node prints none, and no listener of the user gets them. */
function isSilent(): boolean {
  const options = [...process.execArgv, ...(process.env['NODE_OPTIONS'] ?? '').split(' ')];
  const isOff = process.env['NODE_NO_WARNINGS'] === '1' || options.includes('--no-warnings');
  return isOff && process.listenerCount('warning') === 0;
}
