/**
 * Pages for the person on call: what is in the records, which messages failed, and why one ran twice. They need
 * `hono`, which renders them.
 *
 * @module handle-once/dashboard
 */
export { createDashboard, type Dashboard } from './create-dashboard.tsx';
export type { ActionOptions, DashboardOptions, Right, Visitor } from './options.ts';
