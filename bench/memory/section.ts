import { handleOnceContender, OURS } from '../core/handle-once.ts';
import { createWork } from '../core/work.ts';
import { withDatabase } from '../database.ts';
import type { Section } from '../section.ts';
import { memoryOver } from './memory-over.ts';

/** What a process holds that handles very many messages. */
export const memory: Section = ({ postgresUrl, sizes: { memoryMessages: messages } }) =>
  withDatabase(postgresUrl, async ({ sql }) => {
    const contender = await handleOnceContender(sql, await createWork(sql, 'empty', OURS));
    const residentMiB = await memoryOver(contender, messages, 10);
    return { facts: { messages, 'resident MiB in tenths': residentMiB }, comparisons: [] };
  });
