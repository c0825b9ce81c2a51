-- Which processes claim, and which attempts ended badly. Claims and settles do not wait until this is written.

-- One row per process that claims. Its id is the beginning of its tokens.
create table :"schema".workers (
  id         text        collate "C" not null, -- 8 hexadecimal digits
  host       text        not null,
  pid        integer     not null,
  version    text        not null, -- of this package
  started_at timestamptz not null,
  seen_at    timestamptz not null, -- once a day while it claims
  constraint workers_pkey primary key (id)
);

-- One row per attempt that did not succeed.
create table :"schema".failures (
  id         bigint      generated always as identity, -- the order: two may end in one millisecond
  ended_at   timestamptz not null,
  took_ms    integer,                   -- from the call to its end; null where the worker died
  attempt    integer     not null,
  batch_size integer,                   -- how many messages its handler was called for; null: for this one alone
  scope      text        collate "C" not null,
  key        text        collate "C" not null,
  ending     text        not null,      -- released, interrupted, failed, died, lease-lost or unrecorded
  worker     text        collate "C",   -- of the table workers; null where it is not known
  error      text,                      -- JSON text, as in the record
  -- Found by scope and key. Without a primary key no row may be deleted from a table that is published.
  constraint failures_pkey primary key (scope, key, id)
);

-- How often each event happened, where that is asked for: replays write nothing, so that no rate can come from records.
create table :"schema".stats (
  minute timestamptz not null,
  count  bigint      not null,
  scope  text        collate "C" not null,
  event  text        collate "C" not null,
  constraint stats_pkey primary key (scope, minute, event)
);

-- For lists of the newest, and groups over a span of time. Only attempts that end badly write it: 65 bytes of WAL more
-- for each line, a sixth.
create index failures_ended_at on :"schema".failures (ended_at);

-- What people have done to records by the dashboard. Nothing deletes its rows.
create table :"schema".audit (
  id         bigint      generated always as identity,
  begun_at   timestamptz not null default now(),
  ended_at   timestamptz,               -- null while it runs, and where its process died
  seen_at    timestamptz not null default now(), -- the last sign of the process that runs it
  expected   bigint      not null,      -- how many records the person confirmed
  done       bigint      not null default 0, -- how many of them were changed so far
  stop       boolean     not null default false, -- whether a person has asked it to stop
  person     text        not null,
  action     text        not null,      -- retry or forget
  scope      text        collate "C",   -- null: of several
  key        text        collate "C",   -- null: of many records
  filter     text,                      -- JSON text: which records, where there are many
  outcome    text,                      -- finished, stopped, changed or the name of an error; null while it runs
  constraint audit_pkey primary key (id)
);

-- A form begins its action once, also when it is sent twice or to two processes.
create unique index audit_form on :"schema".audit (hashtextextended(filter, 0), expected) where action = 'retry';
