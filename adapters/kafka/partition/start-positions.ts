import type { Generation } from './assignments.ts';
import type { Assignment } from '../log/log-client.ts';
import { type StartOptions, TopicStarts } from './topic-starts.ts';

/**
 * Commits where each partition begins of which the group has committed nothing, before anything of it is handed over.
 *
 * A consumer that begins at the end commits nothing on an idle partition. What is produced while it restarts would then
 * be before the end at which it begins again, and lost. A position that is not in the log any more counts as none: the
 * client would pass what is still there, so the partition begins with the oldest message that is left.
 *
 * It goes on until all is committed, or the generation is over.
 */
export async function holdStartPositions(
  assignment: Assignment,
  generation: Generation,
  options: StartOptions,
): Promise<void> {
  const topics = Object.entries(assignment);
  await Promise.all(
    topics.map(([topic, partitions]) => new TopicStarts(topic, partitions, generation, options).run()),
  );
}
