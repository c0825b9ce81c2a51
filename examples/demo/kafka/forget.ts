import { setTimeout as sleep } from 'node:timers/promises';
import type { Admin } from 'kafkajs';
import { SESSION_TIMEOUT_MS } from './environment.ts';

const LONGEST_MS = SESSION_TIMEOUT_MS + 4_000;

/** Deletes topics and groups of these names, as far as there are any. */
export async function forget(admin: Admin, names: readonly string[]): Promise<void> {
  const topics = (await admin.listTopics()).filter((topic) => names.includes(topic));
  if (topics.length > 0) await admin.deleteTopics({ topics });
  await forgetGroups(admin, names, Date.now() + LONGEST_MS);
}

/** A group can be deleted when it has no members, and a worker that was killed is one until its session ends. */
async function forgetGroups(admin: Admin, names: readonly string[], until: number): Promise<void> {
  for (;;) {
    const { groups } = await admin.listGroups();
    const ids = groups.map(({ groupId }) => groupId).filter((groupId) => names.includes(groupId));
    if (ids.length === 0) return;
    await admin.deleteGroups(ids).catch((error: unknown) => {
      if (Date.now() > until) throw error;
    });
    await sleep(200);
  }
}
