-- breaking: no
-- A fact is embedded by its text alone, so the database names that text itself: the first 32 digits of its SHA-256, the
-- name that a chunk of the same text would have.

create function facts_name_text() returns trigger language plpgsql as $$
begin
  new.embed_hash := left(encode(sha256(convert_to(new.fact, 'UTF8')), 'hex'), 32);
  return new;
end $$;
create trigger facts_name_text before insert or update of fact on facts
  for each row execute function facts_name_text();
update facts set fact = fact;
