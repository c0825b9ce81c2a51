import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { run, succeeds } from '../../../../test/support/services/run.ts';
import { temporaryDirectory } from '../../../../test/support/services/temporary-directory.ts';
import { NotRunError } from '../not-run-error.ts';
import type { OnClose, Place, Scene } from '../scene.ts';
import { untilNoticed } from './database.ts';

const MEBIBYTE = Buffer.alloc(1_048_576);

/** Puts the server of the records on a disk that is full in a moment. */
export async function smallDisk(onClose: OnClose): Promise<Place> {
  const disk = temporaryDirectory('handle-once-disk-');
  const { path } = disk;
  onClose(() => {
    disk.remove();
  });
  const mount = { file: 'mount', args: ['-t', 'tmpfs', '-o', 'size=256m', 'tmpfs', path] };
  if (!(await succeeds(mount))) throw new NotRunError('to mount a small disk takes the rights of root');
  onClose(() => run({ file: 'umount', args: ['-l', path] }));
  return { folder: path };
}

/** The disk is full until a worker has noticed, and for a moment more. A server that ends by it starts again. */
export async function fillDisk(scene: Scene): Promise<void> {
  const { fleet, place, postgres } = scene;
  const ballast = join(place.folder ?? '', 'ballast');
  const before = fleet.reports.length;
  await fill(ballast);
  await untilNoticed(scene, before);
  await sleep(1_000);
  await rm(ballast);
  if (!postgres.isRunning()) await postgres.restart();
}

async function fill(path: string): Promise<void> {
  const file = await open(path, 'w');
  try {
    for (let part = MEBIBYTE; part.length > 0;) {
      const isFull = await file.write(part).then(
        ({ bytesWritten }) => bytesWritten < part.length,
        () => true,
      );
      if (isFull) part = part.subarray(0, Math.floor(part.length / 2));
    }
  } finally {
    await file.close();
  }
}
