/** One message on its way through the store and its handler. */
export interface StartedMessage<Verdict> {
  /** Resolves when the handler has returned; never, when it threw or did not run. */
  readonly returned: Promise<true>;
  readonly verdict: Promise<Verdict>;
}

/**
 * Runs messages one after the other: a handler starts when the message before it is acknowledged.
 *
 * The claim of the next goes out with the settle of the one before, so that a message costs an ordered lane one wait
 * for the store and not two. It costs nothing else: not sooner, or a message that kills its worker would use up the
 * attempts of its neighbour; and a claim that does not get its turn is released, uncounted.
 *
 * `start` gets whether a message may run, once that is known. `note` says whether those behind it may. Once `isEnded`,
 * nothing more is started.
 */
export async function runPipelined<Item, Verdict>(
  lane: readonly Item[],
  start: (item: Item, turn: Promise<boolean>) => StartedMessage<Verdict>,
  note: (item: Item, verdict: Verdict) => boolean,
  isEnded: () => boolean,
): Promise<void> {
  let turn = Promise.resolve(true);
  for (const item of lane) {
    if (isEnded()) break;
    const before = turn;
    const { returned, verdict } = start(item, before);
    turn = verdict.then(async (known) => {
      const goesOn = note(item, known);
      return (await before) && goesOn;
    });
    if (!(await Promise.race([returned, turn]))) break;
  }
  await turn;
}
