/**
 * What `step` returns: a promise that knows whether its handler has used it. `await`, `Promise.all` and the like call
 * `then` of a promise with a constructor of its own. A rejection of one that is not used does not end the process.
 */
export class StepCall extends Promise<unknown> {
  /** What is made of it are plain promises. */
  static override get [Symbol.species](): PromiseConstructor {
    return Promise;
  }

  answer: Promise<unknown> = Promise.resolve();
  isSettled = false;
  isHeard = false;
  rejection: { readonly reason: unknown } | undefined;

  static of(answer: Promise<unknown>): StepCall {
    const call = new StepCall((resolve) => {
      resolve(answer);
    });
    call.answer = answer;
    const settled = (): void => {
      call.isSettled = true;
    };
    answer.then(settled, (reason: unknown) => {
      call.rejection = { reason };
      settled();
    });
    void Promise.prototype.then.call(call, undefined, () => undefined);
    return call;
  }

  override then<A = unknown, B = never>(
    onFulfilled?: ((value: unknown) => A | PromiseLike<A>) | null,
    onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    this.isHeard = true;
    return super.then(onFulfilled, onRejected);
  }
}
