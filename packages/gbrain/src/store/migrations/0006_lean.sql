-- breaking: yes
-- What a commit writes is written once, and is not checked again row by row.

-- What a page's references came to, apart from the references themselves: a page is settled again when another one
-- appears, and its references, by far the larger part, stay as they were. A page without a row is not settled yet.
create table page_waits (
  page_id bigint primary key,
  -- Keys that this page waits for: a page that gets one of them settles this page's references again.
  open_keys text[] collate "C" not null,
  open jsonb not null
);
create index page_waits_by_open_key on page_waits using gin (open_keys) with (fastupdate = off);
insert into page_waits (page_id, open_keys, open) select page_id, open_keys, open from page_links;
alter table page_links drop column open_keys, drop column open;

-- Both are cut out of the text when a page is read.
drop view live_pages;
alter table pages drop column compiled_truth, drop column timeline;
create view live_pages as
  select pages.*
  from pages
  join sources on sources.id = pages.source_id
  where pages.deleted_at is null and sources.archived_at is null;

-- Rows of a page are written in the transaction that holds the page, and every read of them joins it: a check of the
-- page for each row only costs. No page row is ever removed; what removes one has to remove these too.
alter table page_chunks drop constraint page_chunks_page_id_fkey;
alter table timeline_entries drop constraint timeline_entries_page_id_fkey;
alter table page_links drop constraint page_links_page_id_fkey;
alter table page_keys drop constraint page_keys_page_id_fkey;
alter table links drop constraint links_from_page_id_fkey, drop constraint links_to_page_id_fkey,
  drop constraint links_origin_page_id_fkey;
alter table source_files drop constraint source_files_page_id_fkey, drop constraint source_files_source_id_fkey;
