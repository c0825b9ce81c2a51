/**
 * For the person on call: keeps the tables small, and says what is in them.
 *
 * @module handle-once/operations
 */
export { diagnose, type DiagnoseOptions } from './operations/doctor/diagnose.ts';
export type { Finding } from './operations/doctor/finding.ts';
export type { MaintenanceEvent, WalkFigures } from './operations/events.ts';
export { lastWalkAt } from './operations/last-walk-at.ts';
export { maintain, type MaintainOptions, type MaintenanceReport } from './operations/maintain.ts';
export type { MaintenanceOptions } from './operations/options.ts';
export { type CensusRow, readCensus } from './operations/read-census.ts';
export { readStats, type ReadStatsOptions, type StatsRow } from './operations/read-stats.ts';
export {
  type Maintenance,
  startMaintenance,
  type StartMaintenanceOptions,
} from './operations/start-maintenance.ts';
export {
  type EndedAttempt,
  explainRecord,
  type Story,
  type WorkerView,
} from './operations/explain-record.ts';
export type { BadEnding } from './history/line.ts';
export { type Forgotten, forgetRecord } from './operations/forget-record.ts';
export { grantsSql, type GrantsSqlOptions } from './operations/grants-sql.ts';
export { findRecords, type FindRecordsOptions } from './operations/find-records.ts';
export { listRecords, type ListRecordsOptions, type RecordPage } from './operations/list-records.ts';
export { countRecords, type RecordCount } from './operations/count-records.ts';
export type { RecordFilter } from './operations/filter.ts';
export type { RecordPhase, RecordView } from './operations/record.ts';
export { reopenFailed, type ReopenFailedOptions, type ReopenReport } from './operations/reopen-failed.ts';
export { type Reopened, reopenRecord } from './operations/reopen-record.ts';
export { showRecord, type ShowRecordOptions } from './operations/show-record.ts';
export type { RecordOptions, TablesOptions } from './operations/tables.ts';
