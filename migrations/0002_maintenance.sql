-- One row: who maintains the tables, and how far the walk through them has come.
create table :"schema".maintenance (
  only_row   boolean     not null default true,
  runner     uuid        not null, -- fencing token of the process that walks
  live_until timestamptz not null, -- another may take the walk over from then on
  due_at     timestamptz not null, -- the next walk begins then
  purged     bigint      not null default 0, -- by this walk; counted with each step, so that no crash forgets it
  walk       text,                 -- JSON: where it goes on, and what it has counted; null between two walks
  constraint maintenance_pkey primary key (only_row),
  constraint maintenance_only_row check (only_row)
);

-- What the last walk counted, one row per scope and state.
create table :"schema".census (
  scope      text        collate "C" not null,
  state      text        not null, -- pending, succeeded or failed
  records    bigint      not null,
  abandoned  bigint      not null, -- of those that are pending: free to run for long, and not delivered again
  oldest_at  timestamptz not null, -- the first claim of the oldest record
  taken_at   timestamptz not null, -- when the walk ended
  constraint census_pkey primary key (scope, state)
);

-- Records that were purged, where maintenance keeps them. One partition per month, made by maintenance.
create table :"schema".archive (
  purged_at      timestamptz not null,
  live_until     timestamptz not null,
  created_at     timestamptz not null,
  began_at       timestamptz not null,
  token          uuid        not null,
  attempts       integer     not null,
  failures       integer     not null,
  deaths         integer     not null,
  state          text        not null,
  scope          text        collate "C" not null,
  key            text        collate "C" not null,
  fingerprint    bytea       not null,
  failed_reason  text,
  result_omitted text,
  result         text,
  error          text,
  steps          text
) partition by range (purged_at);

-- For the records of the last hours. A b-tree would cost a quarter more WAL; this one is a page for gigabytes, and no
-- settle touches its column.
create index records_created_at on :"schema".records using brin (created_at) with (autosummarize = on);
