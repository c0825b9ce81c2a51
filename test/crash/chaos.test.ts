import { expect, inject, test } from 'vitest';
import { killServer } from '../../proof/chaos/queue/faults/database.ts';
import { BETWEEN, killAtRandom } from '../../proof/chaos/queue/faults/workers.ts';
import { runCase } from '../../proof/chaos/queue/run-case.ts';
import { holds } from '../../proof/chaos/report.ts';
import { postgresUrl } from '../support/database.ts';
import { mavenIsInstalled } from '../support/services/maven-libraries.ts';

// The short form of what `npm run chaos` does.

const LONGEST_MS = 300_000;

test.runIf(await mavenIsInstalled())(
  'workers and PostgreSQL are killed under load: every message has its effect, and what ran again has a cause',
  async () => {
    const chaos = { postgresUrl, databasePrefix: inject('databasePrefix'), seed: 11, quick: true };
    const { figures, checks } = await runCase(chaos, 'short chaos', {
      ...{ fault: 'workers and PostgreSQL killed', consumer: 'handle-once', steps: 2 },
      async act(scene, steps) {
        await killAtRandom(scene, steps);
        await scene.during('database', () => killServer(scene));
        await scene.progress(BETWEEN);
        return undefined;
      },
    });
    expect(checks.filter((check) => !holds(check))).toEqual([]);
    expect(figures).toMatchObject({ faults: 3 });
  },
  LONGEST_MS,
);
