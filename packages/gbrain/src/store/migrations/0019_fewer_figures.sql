-- breaking: no
-- Columns that are only given back, like those of 0009: no condition asks about them, so the planner needs no figures.

alter table pages
  alter column revision set statistics 0, alter column content_hash set statistics 0,
  alter column source_path set statistics 0, alter column size_bytes set statistics 0,
  alter column effective_date_source set statistics 0, alter column source_kind set statistics 0,
  alter column source_uri set statistics 0, alter column ingested_via set statistics 0,
  alter column content_origin set statistics 0, alter column writer_principal set statistics 0,
  alter column writer_session set statistics 0, alter column writer_sequence set statistics 0;
alter table page_chunks
  alter column start_offset set statistics 0, alter column end_offset set statistics 0,
  alter column overlap_chars set statistics 0, alter column heading_path set statistics 0,
  alter column language set statistics 0, alter column speaker set statistics 0;
alter table timeline_entries alter column source set statistics 0, alter column line set statistics 0;
alter table links
  alter column reason set statistics 0, alter column origin_field set statistics 0,
  alter column created_at set statistics 0;
