-- breaking: no
-- Indexes that no query reads: each was an entry more for every page, entry or file that is written.

drop index pages_by_hash;
drop index pages_by_path;
drop index timeline_entries_by_date;
drop index content_files_by_path;
