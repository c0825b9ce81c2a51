import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DEBIAN_FOLDERS, debianFile } from '../../../../test/support/services/debian-package.ts';
import { temporaryDirectory } from '../../../../test/support/services/temporary-directory.ts';
import type { Check } from '../../report.ts';
import { NotRunError } from '../not-run-error.ts';
import type { Act, OnClose, Place, Scene } from '../scene.ts';
import { BETWEEN, startWorkers } from './workers.ts';

const DAY_S = 86_400;
/** Seconds that the wall clock of all workers is off by, one after the other. */
const OFFSETS = [-3_600, 3_600, -30 * DAY_S, 365 * DAY_S, 5, -5, 10 * 365 * DAY_S, 0];

/** Where libfaketime reads what to add to the wall clock. */
const TIME_FILE = 'FAKETIME_TIMESTAMP_FILE';

/** Gives workers a wall clock that can be set, by libfaketime. Their monotonic clock stays right. */
export async function wallClock(onClose: OnClose): Promise<Place> {
  const file = `usr/lib/${DEBIAN_FOLDERS[process.arch] ?? ''}/faketime/libfaketime.so.1`;
  const library = await debianFile('libfaketime', file).catch((error: unknown) => {
    throw new NotRunError(`libfaketime cannot be had from Debian: ${String(error)}`);
  });
  const folder = temporaryDirectory('handle-once-clock-');
  onClose(() => {
    folder.remove();
  });
  const environment = {
    LD_PRELOAD: join(library, file),
    [TIME_FILE]: join(folder.path, 'time'),
    FAKETIME_NO_CACHE: '1',
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
  };
  await set({ environment }, 0);
  return { environment };
}

function set({ environment }: Place, seconds: number): Promise<void> {
  return writeFile(environment?.[TIME_FILE] ?? '', `${seconds < 0 ? '' : '+'}${seconds}`);
}

/** The wall clock of the workers is set, forward and back, by seconds and by years. */
export const setClock: Act = async (scene, steps) => {
  startWorkers(scene);
  for (let step = 1; step <= steps; step += 1) {
    await scene.progress(BETWEEN);
    const offset = OFFSETS[(step - 1) % OFFSETS.length] ?? 0;
    scene.log(`step ${step} of ${steps}: the clock of the workers is ${offset} s off`);
    await scene.during('clock', () => set(scene.place, offset));
  }
  await scene.progress(BETWEEN);
  return [wasSet(scene)];
};

const MINUTE_MS = 60_000;

function wasSet({ fleet }: Scene): Check {
  const off = fleet.reports.filter(
    ({ report }) => report.type === 'began' && Math.abs(report.wallClock - Date.now()) > 30 * MINUTE_MS,
  );
  return { rule: 'handlers begin under a wrong clock', looked: off.length, violations: [] };
}
