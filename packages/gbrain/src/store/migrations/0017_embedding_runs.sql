-- breaking: no
-- Runs of embedding that were agreed to and go on in the background, in whichever process has the brain open. A run is
-- paid from its own group, so its cap holds over every process that works on it.

create table embedding_runs (
  id bigint generated always as identity primary key,
  -- Profile that it fills.
  signature text collate "C" not null check (octet_length(signature) between 1 and 512),
  -- The call as it was made.
  input jsonb not null,
  -- Absent where the model costs nothing.
  group_id uuid references spend_groups (id),
  embedded bigint not null default 0,
  asked_at timestamptz(3) not null,
  ended_at timestamptz(3),
  -- `complete`, or why it ended before that.
  outcome text collate "C" check (octet_length(outcome) <= 64),
  check ((ended_at is null) = (outcome is null))
);
create index embedding_runs_open on embedding_runs (id) where ended_at is null;
