/** A line on a terminal that is written over and over. */
export interface Progress {
  show(text: string): void;
  /** Takes the line away. */
  end(): void;
}

const EVERY_MS = 100;
const CLEAR_LINE = '\r\u001b[K';

/** On stderr, and only where that is a terminal. */
export function createProgress(stream: NodeJS.WriteStream = process.stderr): Progress {
  let shownAt = -Infinity;
  return {
    show(text) {
      const now = performance.now();
      if (!stream.isTTY || now - shownAt < EVERY_MS) return;
      shownAt = now;
      stream.write(`${CLEAR_LINE}${text}`);
    },
    end() {
      if (shownAt !== -Infinity) stream.write(CLEAR_LINE);
    },
  };
}
