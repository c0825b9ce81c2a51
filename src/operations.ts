/**
 * For the person on call: keeps the tables small, and says what is in them.
 *
 * @module
 */
export type { MaintenanceEvent, WalkFigures } from './operations/events.ts';
export { maintain, type MaintainOptions, type MaintenanceReport } from './operations/maintain.ts';
export type { MaintenanceOptions } from './operations/options.ts';
export { type CensusRow, readCensus, type ReadCensusOptions } from './operations/read-census.ts';
export {
  type Maintenance,
  startMaintenance,
  type StartMaintenanceOptions,
} from './operations/start-maintenance.ts';
