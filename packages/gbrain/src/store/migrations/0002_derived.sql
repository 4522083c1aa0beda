-- breaking: yes
-- What is derived from a page's text in its own commit: chunks, timeline entries, references and edges.
-- All of it can be made again from pages.text; edges that a person or an agent adds by hand are born here.

create table page_chunks (
  page_id bigint not null references pages (id) on delete cascade,
  chunk_index integer not null,
  source text collate "C" not null check (source in ('compiled_truth', 'timeline', 'fenced_code')),
  text text collate "C" not null,
  -- UTF-16 units into the page's text without its frontmatter and hidden rows.
  start_offset integer not null,
  end_offset integer not null,
  overlap_chars integer not null,
  heading_path text[] collate "C" not null,
  language text collate "C",
  speaker text collate "C",
  speaker_role text collate "C" check (speaker_role in ('user', 'assistant', 'other')),
  primary key (page_id, chunk_index)
);

create table timeline_entries (
  page_id bigint not null references pages (id) on delete cascade,
  entry_index integer not null,
  -- YYYY-MM-DD.
  date text collate "C" not null,
  source text collate "C" not null,
  summary text collate "C" not null,
  detail text collate "C" not null,
  line integer not null,
  primary key (page_id, entry_index)
);
create index timeline_entries_by_date on timeline_entries (date, page_id);

-- What a page says about others, before and after it is known which of them exist.
create table page_links (
  page_id bigint primary key references pages (id) on delete cascade,
  -- What other pages may call this one.
  keys text[] collate "C" not null,
  -- Keys that this page waits for: a page that gets one of them settles this page's references again.
  open_keys text[] collate "C" not null default '{}',
  links jsonb not null,
  open jsonb not null default '[]'
);
create index page_links_by_key on page_links using gin (keys) with (fastupdate = off);
create index page_links_by_open_key on page_links using gin (open_keys) with (fastupdate = off);

create table links (
  id bigint generated always as identity primary key,
  from_page_id bigint not null references pages (id) on delete cascade,
  to_page_id bigint not null references pages (id) on delete cascade,
  link_type text collate "C" not null check (octet_length(link_type) between 1 and 64),
  link_source text collate "C" not null check (octet_length(link_source) between 1 and 64),
  context text collate "C" not null default '',
  -- Id of the rule that read a derived edge; empty for an edge made by hand.
  reason text collate "C" not null default '',
  -- The page whose text says so; null for an edge made by hand.
  origin_page_id bigint references pages (id) on delete cascade,
  origin_field text collate "C",
  created_at timestamptz(3) not null default now(),
  unique nulls not distinct (from_page_id, to_page_id, link_type, link_source, origin_page_id)
);
create index links_by_target on links (to_page_id, link_type);
create index links_by_origin on links (origin_page_id);
