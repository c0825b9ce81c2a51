-- Turns the table of records into 16 partitions. Every record is kept, with the rights of each role.
--
-- 1. Stop the workers and maintenance. A statement that comes meanwhile waits, at most for `replyTimeoutMs`.
-- 2. As the owner of the tables: psql "$DATABASE_URL" -v ON_ERROR_STOP=1 -f partition.sql
-- 3. Start the workers.
--
-- Publications, row level security, triggers, autovacuum options, comments, extended statistics, and indexes and
-- constraints of your own are not copied: make them again. A view of the table ends this with an error: drop it first.
-- An error changes nothing: it is one transaction. It needs disk room for a second copy of the table. With another
-- schema, replace handle_once: a name with capitals by "Name".
begin;
set local lock_timeout = '5s';
lock table handle_once.records in access exclusive mode;
do $$
declare
  owner name := (
    select pg_get_userbyid(relowner) from pg_catalog.pg_class where oid = 'handle_once.records'::regclass
  );
begin
  if owner <> current_user then
    raise exception 'handle_once.records belongs to %: run this as that role', owner
      using hint = format('psql "$DATABASE_URL" -v ON_ERROR_STOP=1 -c ''set role %I'' -f partition.sql', owner);
  end if;
end $$;

-- A walk of maintenance has counted records of the old table: the next one begins again.
update handle_once.maintenance set runner = gen_random_uuid(), live_until = now(), walk = null;

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
insert into handle_once.records select * from handle_once.plain;
alter table handle_once.records add primary key (scope, key);

-- Empty pages, as the migration makes them: without them a small table gets plans that read all of it. After the key:
-- from a table that is published and has none, no row may be deleted.
insert into handle_once.records
  (live_until, created_at, token, attempts, owned, state, scope, key, fingerprint, result)
select now(), now(), '00000000-0000-0000-0000-000000000000', 0, false, 'pending', 'page', n::text, '', repeat(' ', 1900)
from generate_series(1, 16 * 100) as n
on conflict do nothing;
delete from handle_once.records where scope = 'page' and token = '00000000-0000-0000-0000-000000000000';
create index records_created_at on handle_once.records using brin (created_at) with (autosummarize = on);

-- Maintenance names each partition, so it needs its rights there too.
do $$
declare
  held record;
  suffix text;
begin
  -- What default privileges have granted.
  for held in
    select case a.grantee when 0 then 'public' else a.grantee::regrole::text end as grantee, c.oid::regclass as held_on
    from pg_catalog.pg_class c, pg_catalog.aclexplode(coalesce(c.relacl, acldefault('r', c.relowner))) a
    where c.oid in (select relid from pg_partition_tree('handle_once.records'))
  loop
    execute format('revoke all on %s from %s', held.held_on, held.grantee);
  end loop;
  for held in
    select case grantee when 0 then 'public' else grantee::regrole::text end as grantee,
      string_agg(distinct privilege, ', ') as privileges, case when is_grantable then ' with grant option' end as option
    from pg_catalog.pg_class c cross join lateral (
      select a.grantee, a.is_grantable, a.privilege_type as privilege
      from pg_catalog.aclexplode(coalesce(c.relacl, acldefault('r', c.relowner))) a
      union all
      select a.grantee, a.is_grantable, format('%s (%I)', a.privilege_type, t.attname)
      from pg_catalog.pg_attribute t, pg_catalog.aclexplode(t.attacl) a
      where t.attrelid = c.oid and not t.attisdropped
    ) rights
    where c.oid = 'handle_once.plain'::regclass
    group by grantee, is_grantable
  loop
    foreach suffix in array array[''] || array(select '_' || n from generate_series(0, 15) as n) loop
      execute format('grant %s on handle_once.records%s to %s%s', held.privileges, suffix, held.grantee, held.option);
    end loop;
  end loop;
end $$;
drop table handle_once.plain;
commit;
