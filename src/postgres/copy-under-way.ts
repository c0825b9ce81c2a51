import { Readable, Stream } from 'node:stream';

/** A query of `postgres`, which resolves it with a stream when a COPY begins, and calls it again when that has ended. */
export interface CopyingQuery {
  resolve(answer: unknown): void;
  reject(error: unknown): void;
}

type CopyStream = Stream & {
  destroy(): unknown;
  readonly readableEnded?: boolean;
  readonly writableFinished?: boolean;
};

/** A COPY that has begun. While it is under way `postgres` 3.4.9 sends no statement, a COMMIT or ROLLBACK neither. */
export class CopyUnderWay {
  readonly #stream: CopyStream;
  #isAnswered = false;
  readonly #answered: Promise<void>;

  /** Calls `begin` when the query turns out to be a COPY. */
  static watch(query: CopyingQuery, begin: (copy: CopyUnderWay) => void): void {
    const { resolve } = query;
    query.resolve = (answer) => {
      query.resolve = resolve;
      if (answer instanceof Stream) begin(new CopyUnderWay(query, answer as CopyStream));
      resolve(answer);
    };
  }

  private constructor(query: CopyingQuery, stream: CopyStream) {
    this.#stream = stream;
    // The transaction fails with it: its error does not end the process where nobody listens.
    stream.on('error', () => undefined);
    this.#answered = new Promise((answered) => {
      query.resolve = query.reject = () => {
        this.#isAnswered = true;
        answered();
      };
    });
  }

  /** The handler may have read or written all before the server has said so. */
  isUnderWay(): boolean {
    const { readableEnded, writableFinished } = this.#stream;
    return !this.#isAnswered && readableEnded !== true && writableFinished !== true;
  }

  /** Has one FROM STDIN fail, and skips what is left of one TO STDOUT: there is no other way to end that. */
  async end(): Promise<void> {
    if (this.#isAnswered) return;
    const stream = this.#stream;
    stream.destroy();
    if (stream instanceof Readable) {
      // The client stops to read for a stream that has been destroyed.
      stream.push = () => true;
      stream._read(0);
    }
    await this.#answered;
  }
}
