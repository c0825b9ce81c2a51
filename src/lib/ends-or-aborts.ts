import { onAbort } from './on-abort.ts';

/** Resolves with the work, or when the signal aborts: the work goes on then, and what it throws is ignored. */
export async function endsOrAborts(work: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  if (signal === undefined) {
    await work;
    return;
  }
  let cancel = (): void => undefined;
  const aborted = new Promise<void>((resolve) => {
    cancel = onAbort(signal, resolve);
  });
  work.catch(() => undefined);
  try {
    await Promise.race([work, aborted]);
  } finally {
    cancel();
  }
}
