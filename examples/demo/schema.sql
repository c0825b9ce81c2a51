-- What the workers of one trial do, as rows that they insert while they do it. A schema per trial holds these tables.

create table messages (
  order_id text not null
);

create table deliveries (
  order_id text    not null,
  worker   integer not null
);

-- What besides the kill makes the broker deliver again: a delete that was forgotten, a group that was joined.
create table disturbances (
  worker integer not null
);

create table runs (
  id         integer     generated always as identity primary key,
  order_id   text        not null,
  worker     integer     not null,
  started_at timestamptz not null default clock_timestamp(),
  ended_at   timestamptz
);

-- The pretend payment provider's: a second charge with the same key is the first one again, as with Stripe.
create table charges (
  idempotency_key text primary key,
  order_id        text not null
);

-- The pretend mail server's: it knows no idempotency keys.
create table emails (
  order_id text    not null,
  run      integer not null references runs (id)
);

-- Deliveries that handle-once answered from the record.
create table replays (
  order_id text    not null,
  worker   integer not null
);
