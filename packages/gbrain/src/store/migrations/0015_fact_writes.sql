-- breaking: no
-- A fact is written with less: one index of texts does the work of two, and a writer that names the text to embed
-- itself is not asked to run a function for it.

-- One active free fact a text, entity and visibility, as before; every other fact is told apart by its id.
create unique index facts_by_fingerprint on facts (source_id, fingerprint, visibility, coalesce(entity_slug, ''),
  (case when page_id is null and expired_at is null then 0 else id end));
drop index facts_once;
drop index facts_by_text;

drop trigger facts_name_text on facts;
create trigger facts_name_text before update of fact on facts
  for each row execute function facts_name_text();
create trigger facts_name_new before insert on facts
  for each row when (new.embed_hash is null) execute function facts_name_text();
