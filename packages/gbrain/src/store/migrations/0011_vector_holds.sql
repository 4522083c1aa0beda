-- breaking: no
-- Texts that the provider refused are few and are asked for by every search; without this they are found by reading
-- all vectors.
create index chunk_vectors_refused on chunk_vectors (profile_id, hash) where refusal is not null;

-- The text came with the wish that nobody embeds it by itself (--no-embed); the next write without it ends that.
alter table pages add column embed_held boolean not null default false;
create or replace view live_pages as
  select pages.*
  from pages
  join sources on sources.id = pages.source_id
  where pages.deleted_at is null and sources.archived_at is null;
