// Generated from migrations/*.sql by `npm run migrations:embed`. Do not edit.
import type { Migration } from './migration.ts';

export const migrations: readonly Migration[] = [
  {
    "version": 1,
    "name": "0001_records.sql",
    "sql": "-- One row per (scope, key). Columns are ordered widest first, so that no byte is lost to alignment.\ncreate table :\"schema\".records (\n  live_until     timestamptz not null, -- claimable from then on: the end of the lease, the backoff or the retention\n  created_at     timestamptz not null, -- the first claim of this life of the key\n  token          uuid        not null, -- fencing token of the last claim\n  attempts       integer     not null,\n  owned          boolean     not null, -- whether the token holds a lease; false once settled or released\n  state          text        not null,\n  scope          text        collate \"C\" not null,\n  key            text        collate \"C\" not null,\n  fingerprint    bytea       not null, -- SHA-256 of the payload\n  failed_reason  text,\n  result_omitted text,\n  result         text,                 -- JSON text; null when the handler returned undefined\n  error          text,                 -- JSON text: name, message, code, cause\n  constraint records_pkey primary key (scope, key),\n  constraint records_state_check check (state in ('pending', 'succeeded', 'failed')),\n  constraint records_owned_check check (state = 'pending' or not owned),\n  constraint records_failed_reason_check check ((state = 'failed') = (failed_reason is not null)),\n  constraint records_attempts_check check (attempts >= 0)\n)\n-- fillfactor leaves room for the settle to stay on the claim's page (a HOT update: no index write).\n-- vacuum_truncate takes an exclusive lock on a table that fills again at once, and an emptied table invites\n-- plans that scan it.\nwith (fillfactor = 85, vacuum_truncate = off);\n"
  }
];
