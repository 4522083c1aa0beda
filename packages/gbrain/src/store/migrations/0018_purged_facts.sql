-- breaking: no
-- A fact that was purged: the row stays, so that what refers to it still does, and holds none of its words.

alter table facts add column purged_at timestamptz(3);
