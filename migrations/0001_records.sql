-- One row per (scope, key). Columns are ordered widest first, so that no byte is lost to alignment.
-- There are no check constraints: every statement parses them again, a quarter of the server's time for one claim.
create table :"schema".records (
  live_until     timestamptz not null, -- claimable from then on: the end of the lease, the backoff or the retention
  created_at     timestamptz not null, -- the first claim of this life of the key
  began_at       timestamptz not null default now(), -- the last claim that was owned; the default is for older code
  token          uuid        not null, -- fencing token of the last claim; its first 8 digits are the process
  attempts       integer     not null, -- how often it was started, without the attempts that do not count
  failures       integer     not null default 0, -- how many attempts ended with an error
  deaths         integer     not null default 0, -- how many of the last attempts in a row lost their worker
  owned          boolean     not null, -- whether the token holds a lease; false once settled or released
  state          text        not null, -- pending, succeeded or failed
  scope          text        collate "C" not null,
  key            text        collate "C" not null,
  fingerprint    bytea       not null, -- a byte of version and the payload's SHA-256; empty: not compared
  failed_reason  text,
  result_omitted text,
  result         text,                 -- JSON text; null when the handler returned undefined
  error          text,                 -- JSON text: name, message, code, cause
  steps          text,                 -- JSON text: what attempts have done, by name; null for nearly all
  constraint records_pkey primary key (scope, key)
)
-- fillfactor leaves room for the settle to stay on the claim's page (a HOT update: no index write). Measured, 85 to 50:
-- 62 to 98 % of updates are HOT at 100 in flight, 26 to 95 % at 500, and the table is no larger.
-- vacuum_truncate takes an exclusive lock on a table that fills again at once, and an emptied table invites
-- plans that scan it.
with (fillfactor = 50, vacuum_truncate = off);

-- A table of few pages gets plans that read all of it, and a session keeps such a plan while the table grows. These
-- pages stay, empty, also through vacuum: so every plan finds records by key from the first day.
insert into :"schema".records
  (live_until, created_at, token, attempts, owned, state, scope, key, fingerprint, result)
select now(), now(), '00000000-0000-0000-0000-000000000000', 0, false, 'pending', 'page', n::text, '', repeat(' ', 1900)
from generate_series(1, 100) as n;
-- Those rows alone: a script that is run again by mistake, one statement after the other, must not empty the table.
delete from :"schema".records where scope = 'page' and token = '00000000-0000-0000-0000-000000000000';
