import { textOf } from './describe.ts';
import type { ReportedEvent, Row } from './table.ts';

/** The most error names with separate windows. There can be as many names as messages. */
const MAX_WINDOWS = 50;

interface Window {
  printed: number;
  /** How many were not printed. */
  unprinted: number;
  /** The last that was not printed. */
  last: ReportedEvent | undefined;
}

/** Prints the summaries of open windows. Shared, so that a process has one listener. */
const heldBack = new Map<Window, () => void>();
let isListening = false;

function listenForExit(): void {
  if (isListening) return;
  isListening = true;
  process.on('beforeExit', () => {
    for (const print of heldBack.values()) print();
  });
}

/**
 * Prints events as process warnings, as often as their rows allow.
 *
 * A window opens with its first event, and at its end one line says how many were not printed. A process that ends by
 * itself prints these lines first. `process.exit()` does not wait for a warning.
 */
export function createWarnings(): (row: Row, event: ReportedEvent) => void {
  const windows = new Map<string, Window>();

  function windowOf(row: Row, name: string): Window {
    const known = windows.get(name);
    if (known !== undefined) return known;
    const window = { printed: 0, unprinted: 0, last: undefined };
    windows.set(name, window);
    endLater(row, name, window);
    return window;
  }

  /** Its timer does not keep the process alive. */
  function endLater(row: Row, name: string, window: Window): void {
    setTimeout(() => {
      windows.delete(name);
      summarise(row, window);
    }, row.rate.windowMs).unref();
  }

  function summarise(row: Row, window: Window): void {
    if (window.last === undefined) return;
    emitWarning(row, summaryOf(row, window, window.last));
    window.unprinted = 0;
    window.last = undefined;
    heldBack.delete(window);
  }

  function holdBack(row: Row, window: Window, event: ReportedEvent): void {
    window.unprinted += 1;
    window.last = event;
    listenForExit();
    heldBack.set(window, () => {
      summarise(row, window);
    });
  }

  function nameOf({ code, rate }: Row, { error }: ReportedEvent): string {
    if (rate.perErrorName !== true || error === undefined) return code;
    const name = `${code} ${error.name}`;
    return windows.has(name) || windows.size < MAX_WINDOWS ? name : code;
  }

  return (row, event) => {
    const window = windowOf(row, nameOf(row, event));
    if (window.printed < row.rate.first) {
      window.printed += 1;
      emitWarning(row, textOf(row, event));
    } else {
      holdBack(row, window, event);
    }
  };
}

function summaryOf(row: Row, { unprinted }: Window, last: ReportedEvent): string {
  const count = unprinted.toLocaleString('en-US');
  const minutes = row.rate.windowMs / 60_000;
  return `${count} more within ${minutes} min were not printed; the last: ${textOf(row, last)}`;
}

function emitWarning({ code }: Row, message: string): void {
  hintIfSilent();
  process.emitWarning(message, { type: 'HandleOnceWarning', code });
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
