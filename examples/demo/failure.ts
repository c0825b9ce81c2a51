/** Why the demo failed. When it was told to end, whatever broke then broke because of that. */
export function failure(error: unknown, signal: AbortSignal | undefined): string {
  const message = error instanceof Error ? error.message : String(error);
  if (signal?.aborted !== true) return message;
  const ended = (signal.reason as Error).message;
  return message.startsWith(ended) ? message : ended;
}
