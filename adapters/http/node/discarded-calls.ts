import type { ServerResponse } from 'node:http';
import { atEndOfTurn } from '../../../src/adapter-kit.ts';
import type { Calls } from './response-calls.ts';
import { callbackOf } from './writes.ts';

/** Has what a handler still writes go nowhere. `calls` are the methods as they are. */
export function discarded(response: ServerResponse, calls: Calls): Calls {
  function call(args: readonly unknown[]): void {
    const callback = callbackOf(args);
    if (callback !== undefined) atEndOfTurn(callback);
  }

  /** How Node itself writes the head of what was sent, which can take a while. */
  function isImplicit(args: readonly unknown[]): boolean {
    return args.length === 1 && args[0] === response.statusCode;
  }

  return {
    ...calls,
    addTrailers: () => undefined,
    destroy: () => response,
    end(args) {
      call(args);
      return response;
    },
    flushHeaders: () => undefined,
    write(args) {
      call(args);
      return true;
    },
    writeHead: (args) => (isImplicit(args) ? calls.writeHead(args) : response),
    writeHeader: () => response,
  };
}
