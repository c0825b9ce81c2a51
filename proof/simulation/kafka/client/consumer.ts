import type { KafkaConsumer, RunConfig } from '../../../../adapters/kafka/log/kafkajs-types.ts';
import type { ConsumerOptions } from './consumer-options.ts';
import { GroupMember } from './member.ts';
import type { Positions } from './offsets.ts';
import { Runner } from './runner.ts';

type Listener = (event: { readonly payload: never }) => void;

const NOT_RUNNING = 'Consumer group was not initialized, consumer#run must be called first';
const RESTART_MS = 300;

/** A consumer as kafkajs makes them. It has subscribed to its topics. */
export function createConsumer(options: ConsumerOptions): KafkaConsumer {
  const { clock } = options.life;
  const listeners = new Map<string, Listener[]>();
  const committed: Positions = new Map();
  let running: { readonly member: GroupMember; readonly runner: Runner } | undefined;
  let restart: ReturnType<typeof clock.setTimer> | undefined;
  let stopping: Promise<void> | undefined;

  function emit(event: string, payload: object): void {
    for (const listener of listeners.get(event) ?? []) listener({ payload: payload as never });
  }

  function needed(): { readonly member: GroupMember; readonly runner: Runner } {
    if (running === undefined) throw new Error(NOT_RUNNING);
    return running;
  }

  async function stopOnce(): Promise<void> {
    if (running !== undefined) {
      await running.runner.stop();
      running = undefined;
      emit('consumer.stop', {});
    }
    clock.clearTimer(restart);
  }

  function stop(): Promise<void> {
    stopping ??= stopOnce().finally(() => {
      stopping = undefined;
    });
    return stopping;
  }

  async function start(config: RunConfig): Promise<void> {
    const member = new GroupMember({
      ...options,
      committed,
      autoCommitIntervalMs: config.autoCommitInterval,
      onJoined: (memberAssignment) => {
        emit('consumer.group_join', { memberAssignment });
      },
    });
    const runner = new Runner({
      ...{ clock, member, config, nodes: options.broker.nodes },
      onBatchStart: (payload) => {
        emit('consumer.start_batch_process', payload);
      },
      onBatchEnd: (payload) => {
        emit('consumer.end_batch_process', payload);
      },
      onCrash: (error) => {
        void crash(error, config);
      },
    });
    running = { member, runner };
    await runner.start();
  }

  async function crash(error: Error, config: RunConfig): Promise<void> {
    await stop();
    const mayRestart = error.name === 'KafkaJSNumberOfRetriesExceeded' || isCauseRetriable(error);
    emit('consumer.crash', { error, restart: mayRestart });
    if (!mayRestart) return;
    options.onRestart();
    restart = clock.setTimer(() => void start(config), RESTART_MS);
  }

  return {
    on(event: string, listener: Listener) {
      listeners.set(event, [...(listeners.get(event) ?? []), listener]);
    },
    pause(topics) {
      const { member } = needed();
      for (const topic of topics) member.subscription.pause(topic);
    },
    resume(topics) {
      const { member } = needed();
      for (const topic of topics) member.subscription.resume(topic);
    },
    seek({ offset, ...place }) {
      needed().member.seek(place, Number(offset));
    },
    async commitOffsets(positions) {
      const of: Positions = new Map();
      for (const { topic, partition, offset } of positions) {
        of.set(topic, (of.get(topic) ?? new Map<number, number>()).set(partition, Number(offset)));
      }
      await needed().runner.commit(of);
    },
    async run(config?: RunConfig) {
      if (running === undefined && config !== undefined) await start(config);
    },
    stop,
    disconnect: stop,
  };
}

/** The client asks the error that was there first. */
function isCauseRetriable(error: unknown): boolean {
  const { cause, retriable } = error as { readonly cause?: unknown; readonly retriable?: boolean };
  return cause === undefined ? retriable === true : isCauseRetriable(cause);
}
