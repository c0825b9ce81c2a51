import { endsWithin } from '../../src/adapter-kit.ts';
import { commitSoon } from './fetch/commit-at-end.ts';
import type { Assignment, LogConsumer, LogListener } from './log/log-client.ts';
import { watchLogs } from './partition/log-watch.ts';
import type { ConsumptionOptions } from './options/options.ts';
import type { RetryTopics } from './retry/retry-topics.ts';
import { ABORT_GRACE_MS } from './fetch/end-of-fetch.ts';
import type { Consumption } from './fetch/run-fetch.ts';
import { warnStopped, warnOfTopics } from './settings-warnings.ts';
import { holdStartPositions } from './partition/topic-starts.ts';

/** Follows what the group decides and what the user commands. */
export function followGroup(
  options: ConsumptionOptions,
  { clock, assignments, pauses, running, retryTopics, events }: Omit<Consumption, 'client'> & HasRetryTopics,
  client: () => LogConsumer,
): LogListener {
  const { admin, groupId, drainMs, fromBeginning } = options;
  const seen = new Set<string>();
  const foundEnds = new Map<string, bigint>();
  const watch = admin && watchLogs({ clock, admin, groupId, client, assignments, events });
  return {
    joined(assignment) {
      assignments.joined(assignment);
      const topics = Object.keys(assignment).filter((topic) => !seen.has(topic));
      for (const topic of topics) seen.add(topic);
      if (topics.length > 0) void warnOfTopics(topics, options, events);
      retryTopics?.joined();
      watch?.begin();
      if (admin === undefined) return;
      const start = { clock, client: client(), pauses, assignments, admin, groupId, events };
      const generation = assignments.generation;
      const [retries, others] = splitTopics(assignment, (topic) => retryTopics?.has(topic) === true);
      void holdStartPositions(retries, generation, { ...start, from: 'beginning' });
      if (fromBeginning === false) void holdStartPositions(others, generation, { ...start, foundEnds });
    },
    passedOver(place, position) {
      const tracker = assignments.trackerOf(place);
      if (tracker === undefined) return;
      tracker.advanceTo(position);
      const through = { commit: (at: bigint) => client().commit(place, at), isRunning: () => true };
      const generation = assignments.generation;
      commitSoon({ clock, client: client(), tracker, generation, through, events });
    },
    lookedUp() {
      void watch?.look();
    },
    async stopping() {
      if (await endsWithin(running.ended(), drainMs, clock)) return;
      assignments.abortAll('the consumer stops');
      await endsWithin(running.ended(), ABORT_GRACE_MS, clock);
    },
    stopped() {
      assignments.stopped();
      pauses.clear();
      watch?.end();
    },
    crashed(error, restart) {
      if (restart) return;
      assignments.abortAll('the consumer has stopped permanently');
      warnStopped(groupId, error, events);
    },
    misused(error) {
      warnStopped(groupId, error, events);
    },
    moved(place, to) {
      assignments.trackerOf(place)?.moved(to);
      pauses.moved(place);
    },
  };
}

interface HasRetryTopics {
  readonly retryTopics: RetryTopics | undefined;
}

function splitTopics(assignment: Assignment, isRetry: (topic: string) => boolean): [Assignment, Assignment] {
  const those = (which: boolean): Assignment =>
    Object.fromEntries(Object.entries(assignment).filter(([topic]) => isRetry(topic) === which));
  return [those(true), those(false)];
}
