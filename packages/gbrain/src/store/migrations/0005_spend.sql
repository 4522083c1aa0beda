-- breaking: no
-- Money: prices that the user registered, and one row for every call of a provider that can cost something.
-- Amounts are whole micro-dollars. A call is reserved before it is sent and settled after; a process that dies between
-- leaves its reservation counted.

create table model_prices (
  -- provider:model
  model text collate "C" primary key check (octet_length(model) between 3 and 256),
  -- For a million tokens.
  input_micros bigint not null check (input_micros >= 0),
  output_micros bigint not null check (output_micros >= 0),
  -- For one call, whatever its size.
  call_micros bigint not null default 0 check (call_micros >= 0),
  set_at timestamptz(3) not null
);

-- What calls are paid from: one run that was agreed to, or a day's calls that nobody agrees to one by one.
create table spend_groups (
  id uuid primary key,
  -- Names the group of a day; null for a run.
  key text collate "C" unique check (octet_length(key) between 1 and 128),
  operation text collate "C" not null,
  -- Null is uncapped, which only the user can say.
  cap_micros bigint check (cap_micros >= 0),
  cap_source text collate "C" not null check (cap_source in ('user', 'derived', 'default')),
  -- What let it run: a flag, a setting, nothing to agree to.
  via text collate "C" not null,
  est_micros bigint,
  reserved_micros bigint not null default 0 check (reserved_micros >= 0),
  spent_micros bigint not null default 0 check (spent_micros >= 0),
  created_at timestamptz(3) not null
);

create table spend_calls (
  id uuid primary key,
  group_id uuid not null references spend_groups (id),
  purpose text collate "C" not null check (octet_length(purpose) between 1 and 32),
  model text collate "C" not null check (octet_length(model) between 3 and 256),
  operation text collate "C" not null,
  -- reserved: sent or about to be, its end was not heard of. settled: the provider told what it used. released: nothing
  -- was billed. unknown: it may have been billed, so it stays charged.
  state text collate "C" not null check (state in ('reserved', 'settled', 'released', 'unknown')),
  is_priced boolean not null,
  reserved_micros bigint not null check (reserved_micros >= 0),
  charged_micros bigint not null default 0 check (charged_micros >= 0),
  input_tokens bigint,
  output_tokens bigint,
  outcome text collate "C",
  started_at timestamptz(3) not null,
  ended_at timestamptz(3)
);
create index spend_calls_by_start on spend_calls (started_at);
create index spend_calls_by_group on spend_calls (group_id);
create index spend_calls_open on spend_calls (started_at) where state in ('reserved', 'unknown');
