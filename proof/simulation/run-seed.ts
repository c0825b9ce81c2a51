import { scheduleIncidents } from './actors/incidents.ts';
import { createProcess } from './actors/process.ts';
import type { Scene, Worker } from './actors/surface.ts';
import { WorkerSlot } from './actors/worker-slot.ts';
import type { Fact } from './facts/facts.ts';
import type { Cause } from './facts/names.ts';
import { Database } from './models/database.ts';
import { FEWEST_DELIVERIES, planOf, type PlannedMessage } from './plan/plan.ts';
import type { Coverage } from './report/coverage.ts';
import { EVERYTHING_ENDS, rulesOf } from './rules/index.ts';
import { Judge, type Violation } from './rules/judge.ts';
import { surfaceOf } from './surfaces/index.ts';
import { neighboursOf, withNeighbour } from './surfaces/neighbour.ts';
import type { Life } from './time/life.ts';
import { World } from './world/world.ts';

/** How long everything has to end once all is well: a suspect can wait for five minutes. */
const LONGEST_END_MS = 1_800_000;
const LOOK_EVERY_MS = 500;

/** Runs the world of a seed to its end. Resolves with the first rule that did not hold; undefined: all of them did. */
export async function runSeed(
  seed: number,
  coverage: Coverage,
  onFact: (fact: Fact, at: number) => void = () => undefined,
): Promise<Violation | undefined> {
  const surface = surfaceOf(seed);
  const plan = planOf(seed, surface);
  const onCause = (cause: Cause): void => {
    coverage.noteCause(cause);
  };
  const judge = new Judge([...rulesOf(onCause), ...surface.rules]);
  const world = new World(plan, (fact, ledger, at) => {
    coverage.note(fact);
    onFact(fact, at);
    judge.look(fact, ledger, at);
  });
  const database = new Database(world);
  const messages = [...plan.messages, ...neighboursOf(plan, surface)];
  const scene = withNeighbour(world, surface.open(world, database));
  noteStrangers(world);
  const start = (life: Life, onHang: () => void): Worker =>
    scene.start(createProcess(world, database, life, onHang));
  const slots = Array.from(
    { length: plan.settings.workers },
    (_, index) => new WorkerSlot(world, `worker-${index + 1}`, start),
  );
  scheduleIncidents(world, database, scene, slots);
  for (const message of messages) {
    world.scheduler.after(message.sentAt, () => {
      scene.send(message);
    });
  }
  const hasEnded = watchEnd(world, messages, scene, judge, slots);
  await world.scheduler.run(() => judge.violation !== undefined || hasEnded());
  for (const { life } of slots) life.die();
  coverage.endSeed(surface);
  return judge.violation;
}

/** Messages that no handler may see. */
function noteStrangers(world: World): void {
  const bodies = new Map<string, string>();
  for (const { id, key, body } of world.plan.messages) {
    if (key === undefined) world.tell({ type: 'fault', fault: 'message without a key', what: id });
    else if ((bodies.get(key) ?? body) !== body) {
      world.tell({ type: 'fault', fault: 'same key with another body', what: id });
    } else bodies.set(key, body);
  }
}

/** Looks, once faults have stopped, whether every message has come to an end, and there were deliveries enough. */
function watchEnd(
  world: World,
  messages: readonly PlannedMessage[],
  scene: Scene,
  judge: Judge,
  slots: readonly WorkerSlot[],
): () => boolean {
  const { scheduler, plan, ledger } = world;
  const { calmFrom } = plan.network;
  const spares = [...plan.spares];
  const sent = [...messages];
  let isOver = false;

  function sendSpares(): readonly PlannedMessage[] {
    const messages = spares.splice(0, FEWEST_DELIVERIES - ledger.deliveries);
    for (const message of messages) scene.send(message);
    sent.push(...messages);
    return messages;
  }

  function look(): void {
    let open: readonly PlannedMessage[] = sent.filter((message) => !scene.hasEnded(message));
    if (open.length === 0) open = sendSpares();
    isOver = open.length === 0;
    if (isOver) return;
    const at = scheduler.now();
    if (at > calmFrom + LONGEST_END_MS) {
      const what = `not at an end: ${open.map(({ id }) => id).join(', ')}`;
      judge.note({ rule: EVERYTHING_ENDS.name, at, what });
    }
    scheduler.after(LOOK_EVERY_MS, look);
  }

  scheduler.after(calmFrom, () => {
    for (const slot of slots) slot.endHang();
    look();
  });
  return () => isOver;
}
