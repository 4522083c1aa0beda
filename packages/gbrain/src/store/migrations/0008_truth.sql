-- breaking: no
-- What facts say, apart from how they are worded: near duplicates, updates, contradictions and premises. Rows written
-- before have none of it and take part by their text alone.

alter table facts
  -- SHA-256 of the statement without its wording.
  add column gist text collate "C",
  -- The attribute of which it states a value, and the value in one form, with ! in front when it is denied.
  add column dimension text collate "C",
  add column value text collate "C",
  -- The facts that it was concluded from.
  add column premises bigint[] not null default '{}';
create index facts_by_gist on facts (source_id, gist);
create index facts_by_dimension on facts (source_id, dimension, entity_slug);
create index facts_by_metric on facts (source_id, entity_slug, claim_metric) where claim_metric is not null;
