-- breaking: no
-- A session may pack entities before its first delta, and a later pack goes on with them.

alter table session_context_state
  alter column cursor drop not null,
  add column standing_entities text[] collate "C" not null default '{}';
