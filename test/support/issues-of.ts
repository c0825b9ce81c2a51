import { InvalidOptionsError, type OptionIssue } from 'handle-once';

/** What is wrong with the options that something is made with; nothing, when it can be made. */
export function issuesOf(create: () => unknown): OptionIssue[] {
  try {
    create();
  } catch (error) {
    if (error instanceof InvalidOptionsError) return [...error.issues];
    throw error;
  }
  return [];
}
