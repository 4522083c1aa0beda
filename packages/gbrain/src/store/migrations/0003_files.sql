-- breaking: yes
-- Keys of pages, files that pages came from, the content directory that they go to, plans that were shown, the log of
-- ingests.

-- Keys by which references find pages, one a row: a long list of keys is looked up by index, key by key.
create table page_keys (
  key text collate "C" not null,
  page_id bigint not null references pages (id) on delete cascade,
  primary key (key, page_id)
);
create index page_keys_by_page on page_keys (page_id);
insert into page_keys (key, page_id) select distinct unnest(keys), page_id from page_links;
alter table page_links drop column keys;

-- One row a file that a page of this source was made from. It is written in the page's own transaction, so a file is
-- done exactly when its row says so, and a page is removed for a missing file only when its row says that this file
-- made it.
create table source_files (
  source_id text collate "C" not null references sources (id),
  -- Inside the root, as the file system spells it, with / between its parts.
  path text collate "C" not null check (octet_length(path) between 1 and 2000),
  page_id bigint not null references pages (id) on delete cascade,
  -- Folder that the path was found in, absolute.
  root text collate "C" not null,
  -- SHA-256 of the file's bytes when it was last taken in.
  hash bytea not null check (octet_length(hash) = 32),
  size_bytes integer not null,
  imported_at timestamptz(3) not null,
  primary key (source_id, path)
);
create index source_files_by_page on source_files (page_id);

alter table sources add column last_import jsonb;
alter table sources add column last_import_at timestamptz(3);

-- Plans that were shown to somebody who has to agree: what has changed since is told from them.
create table shown_plans (
  plan_hash text collate "C" primary key check (octet_length(plan_hash) <= 64),
  operation text collate "C" not null,
  source_id text collate "C" not null,
  -- Slug -> revision of every record of the plan.
  records jsonb not null,
  shown_at timestamptz(3) not null
);
create index shown_plans_by_time on shown_plans (operation, source_id, shown_at);

create table ingest_log (
  id bigint generated always as identity primary key,
  source_id text collate "C" not null references sources (id),
  source_type text collate "C" not null check (octet_length(source_type) between 1 and 128),
  source_ref text collate "C" not null check (octet_length(source_ref) between 1 and 4096),
  pages_updated text[] collate "C" not null default '{}',
  summary text collate "C" not null,
  created_at timestamptz(3) not null default now()
);
create index ingest_log_by_source on ingest_log (source_id, id);

-- A source whose pages are written out as files below the home.
create table content_directories (
  source_id text collate "C" primary key references sources (id),
  created_at timestamptz(3) not null default now()
);

-- What stands in the content directory for a page. The row outlives its page until the file is gone.
create table content_files (
  page_id bigint primary key,
  source_id text collate "C" not null references sources (id),
  path text collate "C" not null,
  -- SHA-256 of the bytes that were written last; null before the first time.
  hash bytea check (octet_length(hash) = 32),
  state text collate "C" not null check (state in ('written', 'held', 'failed')),
  -- Why a file is held or failed.
  reason text collate "C",
  at timestamptz(3) not null
);
create index content_files_by_path on content_files (source_id, path);
create index content_files_unwritten on content_files (source_id, state) where state <> 'written';
