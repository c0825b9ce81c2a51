-- Turns the table of records into 16 partitions. Every record is kept, with the rights of each role.
--
-- 1. Stop the workers and maintenance. A statement that comes meanwhile fails after 250 ms.
-- 2. As the owner of the tables: psql "$DATABASE_URL" -v ON_ERROR_STOP=1 -f partition.sql
-- 3. Start the workers.
--
-- Publications, row level security, triggers and autovacuum options of the table are not copied: make them again.
-- An error changes nothing: it is one transaction. It needs disk room for a second copy of the table. With another
-- schema, replace handle_once.
begin;
set local lock_timeout = '5s';
lock table handle_once.records in access exclusive mode;
drop index handle_once.records_created_at;
alter table handle_once.records rename to plain;
alter table handle_once.plain rename constraint records_pkey to plain_pkey;
create table handle_once.records (like handle_once.plain including defaults) partition by hash (scope, key);
do $$
begin
  for n in 0..15 loop
    execute format('create table handle_once.records_%s partition of handle_once.records '
      'for values with (modulus 16, remainder %s) with (fillfactor = 50, vacuum_truncate = off)', n, n);
  end loop;
end $$;

-- Empty pages, as the migration makes them: without them a small table gets plans that read all of it.
insert into handle_once.records
  (live_until, created_at, token, attempts, owned, state, scope, key, fingerprint, result)
select now(), now(), gen_random_uuid(), 0, false, 'pending', 'page', n::text, '', repeat(' ', 1900)
from generate_series(1, 16 * 100) as n;
delete from handle_once.records;

insert into handle_once.records select * from handle_once.plain;
alter table handle_once.records add primary key (scope, key);
create index records_created_at on handle_once.records using brin (created_at) with (autosummarize = on);

-- Maintenance names each partition, so it needs its rights there too.
do $$
declare
  held record;
begin
  for held in
    select grantee, string_agg(privilege, ', ') as privileges
    from (
      select case a.grantee when 0 then 'public' else a.grantee::regrole::text end as grantee,
        a.privilege_type as privilege
      from pg_catalog.pg_class c, pg_catalog.aclexplode(c.relacl) a
      where c.oid = 'handle_once.plain'::regclass and a.grantee <> c.relowner
    ) rights
    group by grantee
  loop
    execute format('grant %s on handle_once.records to %s', held.privileges, held.grantee);
    for n in 0..15 loop
      execute format('grant %s on handle_once.records_%s to %s', held.privileges, n, held.grantee);
    end loop;
  end loop;
end $$;
drop table handle_once.plain;
commit;
