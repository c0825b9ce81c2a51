/**
 * For the person on call: keeps the tables small, and says what is in them.
 *
 * @module handle-once/operations
 */
export { doctor, type DoctorOptions } from './doctor/doctor.ts';
export type { Finding } from './doctor/finding.ts';
export type { MaintenanceEvent, WalkFigures } from './events.ts';
export { lastWalkAt } from './last-walk-at.ts';
export { maintain, type MaintainOptions, type MaintenanceReport } from './maintain.ts';
export type { MaintenanceOptions } from './options.ts';
export { type StatusRow, readStatus } from './read-status.ts';
export { readStats, type ReadStatsOptions, type StatsRow } from './read-stats.ts';
export { type Maintenance, startMaintenance, type StartMaintenanceOptions } from './start-maintenance.ts';
export { type EndedAttempt, explainRecord, type Story, type WorkerView } from './explain-record.ts';
export type { BadEnding } from '../../src/history/line.ts';
export { type Forgotten, forgetRecord } from './forget-record.ts';
export { grantsSql, type GrantsSqlOptions } from './grants-sql.ts';
export { findRecords, type FindRecordsOptions } from './find-records.ts';
export { listRecords, type ListRecordsOptions, type RecordPage } from './list-records.ts';
export { countRecords, type RecordCount } from './count-records.ts';
export type { RecordFilter } from './filter.ts';
export type { RecordPhase, RecordView } from './record.ts';
export { retryFailed, type RetryFailedOptions, type RetryReport } from './retry-failed.ts';
export { type RecordRetry, retryRecord } from './retry-record.ts';
export { showRecord, type ShowRecordOptions } from './show-record.ts';
export type { RecordOptions, TablesOptions } from './tables.ts';
