/** What has to be undone at the end: the newest first, and each whatever becomes of the others. */
export class Cleanup {
  readonly #steps: (() => Promise<void>)[] = [];

  add(step: () => Promise<void>): void {
    this.#steps.push(step);
  }

  async run(): Promise<void> {
    for (const step of this.#steps.toReversed()) {
      await step().catch((error: unknown) => {
        console.error('clean-up failed:', error);
      });
    }
  }
}
