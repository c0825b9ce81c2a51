import { Readable, Stream } from 'node:stream';

/** A query of `postgres`. It resolves one with a stream when a COPY begins, and calls it again when that has ended. */
export interface CopyingQuery {
  resolve: (answer: unknown) => void;
  reject: (error: unknown) => void;
}

type CopyStream = Stream & {
  destroy(error?: Error): unknown;
  readonly readableEnded?: boolean;
  readonly writableFinished?: boolean;
};

/** A COPY that has begun. While it is under way `postgres` 3.4.9 sends no statement, a COMMIT or ROLLBACK neither. */
export class CopyUnderWay {
  readonly #stream: CopyStream;
  readonly #answered: Promise<void>;
  #isAnswered = false;

  /** Calls `onCopy` when the query turns out to be a COPY. */
  static watch(query: CopyingQuery, onCopy: (copy: CopyUnderWay) => void): void {
    const { resolve } = query;
    query.resolve = (answer) => {
      query.resolve = resolve;
      if (answer instanceof Stream) onCopy(new CopyUnderWay(query, answer as CopyStream));
      resolve(answer);
    };
  }

  private constructor(query: CopyingQuery, stream: CopyStream) {
    this.#stream = stream;
    // The transaction fails with the COPY. A stream without a listener must not end the process.
    stream.on('error', () => undefined);
    if (stream instanceof Readable) readOnAtEnd(stream);
    this.#answered = new Promise((resolve) => {
      const answer = (): void => {
        this.#isAnswered = true;
        resolve();
      };
      query.resolve = answer;
      query.reject = (error) => {
        answer();
        // Without it one that is refused after its last row never ends.
        stream.destroy(error as Error);
      };
    });
  }

  /** All may be read or written before the server has said that it has ended. */
  isUnderWay(): boolean {
    const { readableEnded, writableFinished } = this.#stream;
    return !this.#isAnswered && readableEnded !== true && writableFinished !== true;
  }

  /** Has one FROM STDIN fail. What is left of one TO STDOUT is skipped: there is no other way to end that. */
  async end(): Promise<void> {
    if (this.#isAnswered) return;
    const stream = this.#stream;
    stream.destroy();
    if (stream instanceof Readable) {
      // The client reads no more for a stream that is destroyed.
      stream.push = () => true;
      stream._read(0);
    }
    await this.#answered;
  }
}

/** The client stops to read the connection of a stream that is full, and goes on for no stream that has ended then. */
function readOnAtEnd(stream: Readable): void {
  const push = stream.push.bind(stream);
  stream.push = (chunk: unknown) => {
    if (chunk === null) stream._read(0);
    return push(chunk);
  };
}
