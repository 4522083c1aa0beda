-- breaking: yes
-- First schema: the brain, its sources, pages with versions and aliases, receipts, change feed, outbox, settings.
-- Rules that hold in every table:
--   * text that is ordered or compared is collate "C", so both engines and every server locale agree;
--   * timestamps keep milliseconds, so a JavaScript Date compares equal to the row it was read from (keyset cursors);
--   * nothing beyond Postgres 15, no extension;
--   * indexed text is bounded by a check, because an index entry holds at most about 2,700 bytes.

-- One row. The prepared data folder that the package ships is given its own ids when it is unpacked.
create table brain (
  singleton boolean primary key default true check (singleton),
  brain_id uuid not null default gen_random_uuid(),
  -- Changes whenever the rows may have gone back in time (restore, repair), so caches beside the brain are rebuilt.
  incarnation uuid not null default gen_random_uuid(),
  created_at timestamptz(3) not null default now(),
  -- Lowest version number of a writer that may write; every write transaction compares its own.
  min_writer_version integer not null default 1,
  format integer not null default 1
);
insert into brain default values;

create table sources (
  id text collate "C" primary key check (id ~ '^[a-zA-Z0-9][a-zA-Z0-9_-]{0,63}$'),
  name text collate "C" not null unique check (octet_length(name) between 1 and 512),
  truth text collate "C" not null default 'database' check (truth in ('database', 'files')),
  local_path text collate "C",
  config jsonb not null default '{}',
  incarnation uuid not null default gen_random_uuid(),
  archived_at timestamptz(3),
  created_at timestamptz(3) not null default now()
);
insert into sources (id, name, config) values ('default', 'default', '{"federated": true}');

create table pages (
  id bigint generated always as identity primary key,
  source_id text collate "C" not null references sources (id),
  slug text collate "C" not null check (octet_length(slug) between 1 and 512),
  -- The page itself, verbatim. Every other column of content below is derived from it in the same commit.
  text text collate "C" not null,
  revision uuid not null,
  title text collate "C" not null,
  type text collate "C" not null check (octet_length(type) between 1 and 512),
  page_kind text collate "C" not null default 'markdown' check (page_kind in ('markdown', 'code', 'image')),
  frontmatter jsonb not null default '{}',
  tags text[] collate "C" not null default '{}',
  compiled_truth text collate "C" not null default '',
  timeline text collate "C" not null default '',
  visibility text collate "C" not null default 'world' check (visibility in ('world', 'private')),
  content_hash text collate "C" not null check (octet_length(content_hash) between 1 and 128),
  effective_date timestamptz(3),
  effective_date_source text collate "C",
  -- Path inside the source's folder, as the file system spells it; null where no file made the page.
  source_path text collate "C" check (octet_length(source_path) <= 2000),
  -- The slug without accents, for lookup only; several pages may share one.
  folded_slug text collate "C" not null check (octet_length(folded_slug) <= 1024),
  folded_name text collate "C" generated always as (regexp_replace(folded_slug, '^.*/', '')) stored,
  size_bytes integer not null,
  source_kind text collate "C",
  source_uri text collate "C",
  ingested_via text collate "C",
  content_origin text collate "C" check (content_origin in ('user_said', 'tool_output', 'inferred', 'imported')),
  trust_tier text collate "C" not null default 'owner'
    check (trust_tier in ('owner', 'agent_written', 'external_untrusted')),
  writer_principal text collate "C",
  -- Brain session and journal number of the record that wrote this revision.
  writer_session text collate "C",
  writer_sequence bigint,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  deleted_at timestamptz(3),
  unique (source_id, slug)
);

-- Lists read one source at a time in index order; a list over several sources merges them
-- (unnest of the sources, cross join lateral of a limited list each).
create index pages_by_updated on pages (source_id, updated_at, slug) where deleted_at is null;
create index pages_by_created on pages (source_id, created_at, slug) where deleted_at is null;
create index pages_by_type on pages (source_id, type, updated_at, slug) where deleted_at is null;
-- A title has no bound: order by left(title, 200), title, slug reads this index and sorts only ties.
create index pages_by_title on pages (source_id, left(title, 200), slug) where deleted_at is null;
create index pages_by_tag on pages using gin (tags) with (fastupdate = off);
create index pages_by_folded_slug on pages (source_id, folded_slug);
create index pages_by_folded_name on pages (source_id, folded_name);
create index pages_by_path on pages (source_id, source_path) where source_path is not null;
create index pages_by_hash on pages (source_id, content_hash);
create index pages_deleted on pages (deleted_at) where deleted_at is not null;

-- What a reader may find unless it asks for deleted rows: the live pages of live sources.
create view live_pages as
  select pages.*
  from pages
  join sources on sources.id = pages.source_id
  where pages.deleted_at is null and sources.archived_at is null;

create table page_versions (
  id bigint generated always as identity primary key,
  page_id bigint not null references pages (id) on delete cascade,
  revision uuid not null,
  text text collate "C" not null,
  title text collate "C" not null,
  type text collate "C" not null,
  frontmatter jsonb not null default '{}',
  deleted boolean not null default false,
  writer_principal text collate "C",
  writer_session text collate "C",
  writer_sequence bigint,
  created_at timestamptz(3) not null default now()
);
create index page_versions_by_page on page_versions (page_id, id);

create table page_aliases (
  source_id text collate "C" not null references sources (id),
  alias text collate "C" not null check (octet_length(alias) between 1 and 1024),
  page_id bigint not null references pages (id) on delete cascade,
  -- moved: an old slug, leads to one page. declared: a name in the page's frontmatter, may be shared.
  kind text collate "C" not null check (kind in ('moved', 'declared')),
  primary key (source_id, alias, kind, page_id)
);
create unique index page_aliases_moved on page_aliases (source_id, alias) where kind = 'moved';
create index page_aliases_by_page on page_aliases (page_id);

-- Receipts. One row a mutating request, in the transaction of its write.
create table write_requests (
  id bigint generated always as identity primary key,
  request_id uuid not null,
  principal text collate "C" not null check (octet_length(principal) between 1 and 512),
  client_request_id text collate "C" check (octet_length(client_request_id) between 1 and 128),
  operation text collate "C" not null,
  arguments_hash text collate "C" not null,
  state text collate "C" not null
    check (state in ('queued', 'running', 'recovering', 'committed', 'conflict', 'failed', 'cancelled')),
  source_id text collate "C",
  slug text collate "C",
  page_id bigint,
  revision uuid,
  outcome jsonb,
  error jsonb,
  writer_session text collate "C",
  writer_sequence bigint,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  unique (principal, request_id)
);
create index write_requests_by_principal on write_requests (principal, id);
create index write_requests_open on write_requests (id) where state in ('queued', 'running', 'recovering');

-- The change feed. A position is taken before its transaction commits, so a follower's cursor is the pair
-- (xid, position): it reads rows above its pair with xid < pg_snapshot_xmin(pg_current_snapshot()), in that order,
-- and no late commit can land below a cursor. Rows outlive the pages they name, hence no foreign keys.
create table changes (
  position bigint generated always as identity,
  xid xid8 not null default pg_current_xact_id(),
  kind text collate "C" not null,
  source_id text collate "C" not null,
  page_id bigint,
  slug text collate "C",
  revision uuid,
  at timestamptz(3) not null default now(),
  primary key (xid, position)
);

-- Effects that follow a commit. The stable key makes a repeated effect one row.
create table outbox (
  id bigint generated always as identity primary key,
  key text collate "C" not null unique check (octet_length(key) between 1 and 1024),
  kind text collate "C" not null,
  page_id bigint,
  payload jsonb not null default '{}',
  created_at timestamptz(3) not null default now(),
  attempts integer not null default 0,
  not_before timestamptz(3) not null default now(),
  last_error jsonb
);
create index outbox_due on outbox (not_before, id);

-- The database plane of settings.
create table config (
  key text collate "C" primary key check (octet_length(key) between 1 and 512),
  value jsonb not null,
  updated_at timestamptz(3) not null default now()
);
