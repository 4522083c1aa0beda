-- breaking: no
-- Embeddings. A vector belongs to a text, not to a place: chunks name theirs by the hash of what is embedded, so a page
-- that is written again, moved or copied keeps its vectors, and what waits for one is computed from the rows.

-- Hash of the text that is embedded for the chunk (title, headings, text); null until it was worked out.
alter table page_chunks add column embed_hash text collate "C" check (octet_length(embed_hash) <= 64);
create index page_chunks_by_embed_hash on page_chunks (embed_hash);
create index page_chunks_unhashed on page_chunks (page_id) where embed_hash is null;

-- One row a provider, model, size and way of preparing texts. The live one is searched; a building one is filled beside
-- it and takes its place when nothing waits any more.
create table embedding_profiles (
  id bigint generated always as identity primary key,
  -- provider:model
  model text collate "C" not null check (octet_length(model) between 3 and 256),
  dimensions integer not null check (dimensions between 1 and 16000),
  signature text collate "C" not null unique check (octet_length(signature) between 1 and 512),
  state text collate "C" not null check (state in ('building', 'live')),
  -- Pages written from here on get their vectors without being asked for; older ones are a backfill.
  since timestamptz(3) not null,
  created_at timestamptz(3) not null,
  live_at timestamptz(3),
  -- How the last try ended when it failed, and when the next one in the background may be made.
  fault text collate "C",
  fault_at timestamptz(3),
  not_before timestamptz(3)
);
create unique index embedding_profiles_state on embedding_profiles (state);

create table chunk_vectors (
  profile_id bigint not null references embedding_profiles (id) on delete cascade,
  hash text collate "C" not null,
  -- Four bytes of scale (float32, little-endian), then one signed byte a component of a vector of length 1.
  vector bytea,
  -- Why the provider gave none for this text; it is then not asked again by itself.
  refusal text collate "C",
  position bigint generated always as identity,
  xid xid8 not null default pg_current_xact_id(),
  created_at timestamptz(3) not null,
  primary key (profile_id, hash),
  check ((vector is null) <> (refusal is null))
);
create unique index chunk_vectors_feed on chunk_vectors (profile_id, xid, position);

-- Texts that a process has sent to a provider; nobody else sends them until this is over.
create table embedding_claims (
  profile_id bigint not null references embedding_profiles (id) on delete cascade,
  hash text collate "C" not null,
  until timestamptz(3) not null,
  primary key (profile_id, hash)
);
