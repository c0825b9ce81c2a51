/** A worker process: it handles so many fresh messages as it is asked to, beside others on the same database. */
import { randomUUID } from 'node:crypto';
import { handleOnceContender } from '../core/handle-once.ts';
import { drive } from '../core/measure.ts';
import { createWork } from '../core/work.ts';
import { costKind } from '../costs.ts';
import { connect } from '../database.ts';
import type { Share, Spell } from './workers.ts';

const [databaseUrl = ''] = process.argv.slice(2);
const sql = connect(databaseUrl);
const contender = await handleOnceContender(sql, await createWork(sql, 'empty', 'worker'));

process.on('message', (spell: Spell) => {
  void work(spell).then((share) => process.send?.(share));
});
process.once('disconnect', () => {
  void sql.end().then(() => process.exit());
});
process.send?.('ready');

async function work({ messages, inFlight }: Spell): Promise<Share> {
  const keys = Array.from({ length: messages }, () => randomUUID());
  const startedAt = Date.now();
  const rates = await drive('fresh', contender, keys, inFlight);
  return { startedAt, endedAt: Date.now(), client: rates[costKind('fresh', 'client')] ?? Number.NaN };
}
