-- breaking: no
-- Facts are found by an index in memory that follows the rows: each row carries the transaction that wrote last what
-- the index holds of it. The index of words on disk goes: it made every write dearer and cost more to read than it gave.

drop index facts_by_terms;
alter table facts
  add column xid xid8 not null default pg_current_xact_id(),
  -- Hash of the text that is embedded for the fact; its vector stands beside those of chunks.
  add column embed_hash text collate "C" check (octet_length(embed_hash) <= 64);
create index facts_by_xid on facts (xid, id);
create index facts_by_embed_hash on facts (embed_hash) where embed_hash is not null;

create function facts_follow() returns trigger language plpgsql as $$
begin
  new.xid := pg_current_xact_id();
  return new;
end $$;
create trigger facts_follow before update of fact, terms, kind, visibility, valid_from, valid_until, expired_at,
  superseded_by, confidence, embed_hash on facts
  for each row execute function facts_follow();

-- A fact of a fence is seen with its page: when that is deleted, comes back or is hidden, its facts follow.
create function pages_facts_follow() returns trigger language plpgsql as $$
begin
  update facts set xid = pg_current_xact_id() where page_id = new.id;
  return null;
end $$;
create trigger pages_facts_follow after update of deleted_at, visibility on pages for each row
  when (old.deleted_at is distinct from new.deleted_at or old.visibility is distinct from new.visibility)
  execute function pages_facts_follow();
