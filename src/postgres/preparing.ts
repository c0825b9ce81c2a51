import { sqlState } from './error-layers.ts';

/** Prepared statements that another session has, or has not: a pooler shares the sessions. */
const SHARED_SESSIONS = new Set(['26000', '42P05']);

/** Whether an error says that a statement that was prepared is gone, or is there from another client. */
export function showsSharedSessions(error: unknown): boolean {
  return SHARED_SESSIONS.has(sqlState(error) ?? '');
}

/**
 * Whether a client prepares statements: as configured, until the server shows that its sessions are shared.
 *
 * The statement that showed it is refused, with how to correct the client. Later statements must get through: without
 * its settle a handler runs twice.
 */
export function createPreparing(
  mayPrepare: boolean,
): <T>(send: (isPrepared: boolean) => PromiseLike<T>) => Promise<T> {
  let isOn = mayPrepare;
  return async (send) => {
    try {
      return await send(isOn);
    } catch (error) {
      if (showsSharedSessions(error)) isOn = false;
      throw error;
    }
  };
}
