/** As Kafka answers where a group has committed nothing. */
export const NOT_COMMITTED = '-1';

/** Where partitions begin of which the group has committed nothing: at their ends unless it says so. */
export type Beginning = 'beginning' | undefined;

/** Where a partition is to begin, in place of what the group has committed. */
export interface Start {
  readonly committed: string;
  readonly position: bigint;
}

/** Undefined where the group goes on from what it has committed. */
export function startOf(
  committed: string,
  { low, high }: { readonly low: string; readonly high: string },
  from: Beginning,
): Start | undefined {
  const [oldest, end] = [BigInt(low), BigInt(high)];
  if (committed === NOT_COMMITTED) return { committed, position: from === 'beginning' ? oldest : end };
  const position = BigInt(committed);
  return position < oldest || position > end ? { committed, position: oldest } : undefined;
}

/** The warning that partitions have no start yet. */
export function startNotCommitted(
  topic: string,
  partitions: readonly number[],
  from: Beginning,
  fault: string,
): { readonly warning: 'START_NOT_COMMITTED'; readonly message: string } {
  const places = `${topic} [${partitions.join(', ')}]`;
  const state =
    from === 'beginning'
      ? `the retry topic ${places} is paused until its start is known to be committed: ${fault}. Its messages wait`
      : `the start of ${places} could not be committed: ${fault}. ` +
        'Messages that are produced while this consumer restarts can be skipped';
  const cure =
    'This is tried again; check that the admin client is connected and has the right to describe the topic and the ' +
    'group';
  return { warning: 'START_NOT_COMMITTED', message: `${state}. ${cure}` };
}
