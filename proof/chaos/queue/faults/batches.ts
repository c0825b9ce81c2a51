import { isHit, runsOf } from '../runs.ts';
import type { Act } from '../scene.ts';

/** Faults that have to come in the middle of batches. */
export function amidBatches(act: Act): Act {
  return async (scene, steps) => {
    const own = (await act(scene, steps)) ?? [];
    const { faults, fleet } = scene;
    const runs = runsOf({ faults, reports: fleet.reports }).filter(({ together }) => together > 1);
    const hit = faults.filter((fault) => runs.some((run) => isHit(run, fault)));
    return [
      ...own,
      { rule: 'messages run in batches', looked: runs.length, violations: [] },
      { rule: 'faults begin in the middle of batches', looked: hit.length, violations: [] },
    ];
  };
}
