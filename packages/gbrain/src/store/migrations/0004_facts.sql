-- breaking: yes
-- Facts: what agents remember. A free fact is born here; a fact of a page's fence is derived from the page's text in
-- its commit and goes when the fence no longer states it. Facts are expired, never deleted.

create table facts (
  id bigint generated always as identity primary key,
  -- The same fact in every brain that it is exported to.
  uid uuid not null default gen_random_uuid() unique,
  source_id text collate "C" not null references sources (id),
  -- A page's slug, or the slug that a name would have when no page is called so.
  entity_slug text collate "C" check (octet_length(entity_slug) between 1 and 512),
  fact text collate "C" not null check (fact <> ''),
  -- SHA-256 of the text in the form in which two texts count as the same.
  fingerprint text collate "C" not null,
  -- What a question is compared with: stems and identifiers of the text.
  terms text[] collate "C" not null default '{}',
  kind text collate "C" not null default 'fact'
    check (kind in ('event', 'preference', 'commitment', 'belief', 'fact')),
  visibility text collate "C" not null default 'private' check (visibility in ('private', 'world')),
  notability text collate "C" not null default 'medium' check (notability in ('high', 'medium', 'low')),
  context text collate "C",
  valid_from timestamptz(3) not null,
  valid_until timestamptz(3),
  expired_at timestamptz(3),
  expired_reason text collate "C",
  superseded_by bigint references facts (id),
  consolidated_at timestamptz(3),
  consolidated_into bigint,
  -- Who or what says so; the provenance.
  source text collate "C" not null,
  source_session text collate "C",
  confidence double precision not null default 1 check (confidence between 0 and 1),
  -- The fence row that states it; both null for a free fact.
  page_id bigint references pages (id) on delete cascade,
  row_num integer,
  claim_metric text collate "C",
  claim_value text collate "C",
  claim_unit text collate "C",
  claim_period text collate "C",
  event_type text collate "C",
  attributed_to text collate "C",
  content_origin text collate "C" check (content_origin in ('user_said', 'tool_output', 'inferred', 'imported')),
  trust_tier text collate "C" not null default 'owner'
    check (trust_tier in ('owner', 'agent_written', 'external_untrusted')),
  writer_principal text collate "C",
  writer_session text collate "C",
  writer_sequence bigint,
  -- How often the same text was told, and when last.
  seen_count integer not null default 1,
  seen_at timestamptz(3) not null,
  created_at timestamptz(3) not null,
  check ((page_id is null) = (row_num is null)),
  unique (page_id, row_num)
);
-- One active free fact a text, entity and visibility: two writers at once make one row.
create unique index facts_once on facts (source_id, fingerprint, visibility, coalesce(entity_slug, ''))
  where page_id is null and expired_at is null;
create index facts_by_text on facts (source_id, fingerprint);
create index facts_by_created on facts (source_id, created_at, id);
create index facts_by_entity on facts (source_id, entity_slug, created_at, id);
create index facts_by_session on facts (source_session) where source_session is not null;
create index facts_by_terms on facts using gin (terms) with (fastupdate = off);

-- Texts that were withdrawn: no later write or import of the same text brings them back.
create table fact_withdrawals (
  source_id text collate "C" not null references sources (id),
  fingerprint text collate "C" not null,
  -- Empty for a fact of no entity.
  entity_slug text collate "C" not null,
  fact_id bigint references facts (id),
  reason text collate "C",
  principal text collate "C" not null,
  at timestamptz(3) not null,
  primary key (source_id, fingerprint, entity_slug)
);

-- Where a session's delta goes on, by source, client and session.
create table session_context_state (
  source_id text collate "C" not null references sources (id),
  client_id text collate "C" not null check (octet_length(client_id) between 1 and 512),
  session_id text collate "C" not null check (octet_length(session_id) between 1 and 256),
  cursor jsonb not null,
  incomplete_wakes integer not null default 0,
  last_wake_at timestamptz(3) not null,
  primary key (source_id, client_id, session_id)
);
