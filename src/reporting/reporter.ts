import { describeThrown } from '../payload/stored-error.ts';
import { fieldsOf, textOf } from './describe.ts';
import type { Logger } from './logger.ts';
import { type ReportedEvent, type Row, rowOfOwn } from './table.ts';
import { createWarnings } from './printed-warnings.ts';

export type Reporter = ReturnType<typeof createReporter>;

interface ReporterOptions {
  readonly logger?: Logger | undefined;
  /** Whether a hook of the user gets the events: then, without a logger, none is printed. */
  readonly isObserved: boolean;
  readonly rowOf: (event: ReportedEvent) => Row | undefined;
}

/** Reports operational problems to a logger, or else as process warnings. */
export function createReporter({ logger, isObserved, rowOf }: ReporterOptions) {
  const print = createWarnings();

  function log(target: Logger, row: Row, event: ReportedEvent): void {
    if (target[row.level] === undefined) return;
    void callSafely(
      () => target[row.level]?.(fieldsOf(row, event), textOf(row, event)),
      (error) => {
        const message = `logger failed on ${event.type}: ${describeThrown(error)}`;
        print(rowOfOwn('LOGGER_FAILED'), { type: 'warning', message });
      },
    );
  }

  function report(row: Row, event: ReportedEvent): void {
    if (logger !== undefined) log(logger, row, event);
    else if (row.level === 'warn' || row.level === 'error') print(row, event);
  }

  return {
    /** Reports an event, if it is one to report. */
    reportEvent: (event: ReportedEvent): void => {
      if (isObserved && logger === undefined) return;
      const row = rowOf(event);
      if (row !== undefined) report(row, event);
    },
    /** Reports what one of the user's functions did wrong, also where `onEvent` gets the events. */
    complain: (code: string, message: string, scope?: string): void => {
      const where = scope === undefined ? {} : { scope };
      report(rowOfOwn(code), { type: 'warning', ...where, warning: code, message });
    },
  };
}

/** Calls a function of the user. Its errors must not decide what becomes of a message. */
export async function callSafely(call: () => unknown, onFailure: (error: unknown) => void): Promise<void> {
  try {
    await call();
  } catch (error) {
    onFailure(error);
  }
}
