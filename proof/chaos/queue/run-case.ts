import { GetQueueAttributesCommand } from '@aws-sdk/client-sqs';
import type { Chaos } from '../chaos.ts';
import type { Check, Report } from '../report.ts';
import { until } from '../until.ts';
import { judge, type Verdict } from './judge.ts';
import { NotRunError } from './not-run-error.ts';
import { openScene, type OpenScene } from './open-scene.ts';
import { rowOf } from './row.ts';
import type { Act, Scene, SceneOptions } from './scene.ts';
import { countKeyedEffects, notSucceeded, readEffects } from './tables.ts';

export interface Case extends Omit<SceneOptions, 'name'> {
  /** What it does, for the table. */
  readonly fault: string;
  readonly act: Act;
  /** How many times. */
  readonly steps: number;
  /** The consumer is no library: what is expected is that messages are lost, or doubled. */
  readonly expects?: 'lost' | 'doubled';
}

const END_WITHIN_MS = 300_000;
const QUICK_STEPS = 2;

/** Runs a case to its end, and judges what it has left. */
export async function runCase(chaos: Chaos, name: string, one: Case): Promise<Report> {
  try {
    return await run(chaos, name, one);
  } catch (error) {
    if (!(error instanceof NotRunError)) throw error;
    return { storm: name, figures: {}, checks: [], row: { fault: one.fault, cells: error.message } };
  }
}

async function run(chaos: Chaos, name: string, one: Case): Promise<Report> {
  const startedAt = performance.now();
  const open = await openScene(chaos, { name, ...one });
  const { scene, load, close } = open;
  const violations: string[] = [];
  const note = (error: unknown): void => {
    if (error instanceof NotRunError) throw error;
    violations.push(String(error));
  };
  try {
    scene.log('begins');
    let own: readonly Check[] = [];
    await one
      .act(scene, chaos.quick ? Math.min(one.steps, QUICK_STEPS) : one.steps)
      .then((checks) => (own = checks ?? []), note);
    const messages = await load.end();
    await calm(scene).catch(note);
    const { verdict, checks } = await judgeAll(open, messages, one);
    const seconds = Math.round((performance.now() - startedAt) / 1_000);
    const workers = new Set(scene.fleet.reports.map(({ worker }) => worker)).size;
    const end = { rule: 'the case comes to its end, and the queue is empty', looked: 1, violations };
    return {
      storm: name,
      figures: { messages, faults: scene.faults.length, 'handler runs': verdict.runs, workers, seconds },
      checks: [
        end,
        { rule: 'faults are made', looked: scene.faults.length, violations: [] },
        ...own,
        ...checks,
      ],
      row: rowOf(one.fault, messages, scene.faults.length, verdict),
    };
  } finally {
    await close();
  }
}

/** Waits until the queue has nothing left, and lets all workers leave. */
async function calm(scene: Scene): Promise<void> {
  const { fleet, queueClient, queueUrl, log } = scene;
  if (fleet.alive().length === 0) scene.join();
  log('calms down');
  const QUEUE_ATTRIBUTES = [
    'ApproximateNumberOfMessages',
    'ApproximateNumberOfMessagesNotVisible',
    'ApproximateNumberOfMessagesDelayed',
  ] as const;
  const asked = new GetQueueAttributesCommand({ QueueUrl: queueUrl, AttributeNames: [...QUEUE_ATTRIBUTES] });
  await until(
    'the queue is empty',
    async () => {
      const { Attributes = {} } = await queueClient.send(asked);
      return QUEUE_ATTRIBUTES.every((name) => Attributes[name] === '0');
    },
    END_WITHIN_MS,
  );
  await Promise.all(fleet.alive().map((worker) => fleet.leave(worker)));
}

async function judgeAll(
  { scene, effects, records }: OpenScene,
  messages: number,
  { consumer, expects }: Case,
): Promise<{ verdict: Verdict; checks: readonly Check[] }> {
  const { fleet, faults } = scene;
  const ofRecords = records();
  const target = consumer === 'in-transaction' ? ofRecords : effects;
  const found = await readEffects(target);
  const verdict = judge({ consumer, messages, effects: found, faults, reports: fleet.reports });
  if (expects !== undefined) {
    const seen = verdict[expects].length;
    return {
      verdict,
      checks: [{ rule: `the harness sees what is ${expects}`, looked: seen, violations: [] }],
    };
  }
  const keyed = await countKeyedEffects(target);
  const checks: Check[] = [
    ...verdict.checks,
    {
      rule: 'an effect under its child key happened once',
      looked: messages,
      violations: keyed === messages ? [] : [`${keyed} effects of ${messages} messages`],
    },
    {
      rule: 'every record has succeeded',
      looked: messages,
      violations: await notSucceeded(ofRecords, scene.scope, messages),
    },
    { rule: 'no worker ends by itself', looked: fleet.reports.length, violations: fleet.failures },
  ];
  return { verdict, checks };
}
