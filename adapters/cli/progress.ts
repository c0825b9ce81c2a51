const TERMINAL_EVERY_MS = 100;
const LOG_EVERY_MS = 10_000;
const CLEAR_LINE = '\r\u001b[K';

/** On a terminal one line that is written over and over; elsewhere, as in the log of a job, a line now and then. */
export function createProgress(stream: NodeJS.WriteStream = process.stderr) {
  const { isTTY } = stream;
  const everyMs = isTTY ? TERMINAL_EVERY_MS : LOG_EVERY_MS;
  let hasShown = false;
  let shownAt = isTTY ? -Infinity : performance.now();
  return {
    show(text: string): void {
      const now = performance.now();
      if (now - shownAt < everyMs) return;
      shownAt = now;
      hasShown = true;
      stream.write(isTTY ? `${CLEAR_LINE}${text}` : `${text}\n`);
    },
    /** Takes the line of a terminal away. */
    end(): void {
      if (isTTY && hasShown) stream.write(CLEAR_LINE);
    },
  };
}
