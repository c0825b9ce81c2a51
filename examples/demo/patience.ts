/** How long the demo waits for something to happen. */
export interface Patience {
  /** Aborts when it is at its end. The reason says why. */
  readonly signal: AbortSignal;
  /** Something has happened: the wait begins again. A busy machine makes a demo slow, and not fail. */
  readonly progressed: () => void;
  readonly end: (why: string) => void;
}

export function createPatience(milliseconds: number): Patience {
  const controller = new AbortController();
  const end = (why: string): void => {
    controller.abort(new Error(why));
  };
  const timer = setTimeout(() => {
    end(`no progress for ${milliseconds / 1_000} s`);
  }, milliseconds).unref();
  return {
    signal: controller.signal,
    progressed() {
      timer.refresh();
    },
    end,
  };
}
