-- breaking: no
-- Columns that only hold text to give back: the planner never asks about them, and to gather figures of them was most
-- of the time that gathering took.
alter table pages alter column text set statistics 0, alter column frontmatter set statistics 0;
alter table page_versions alter column text set statistics 0, alter column frontmatter set statistics 0;
alter table page_chunks alter column text set statistics 0;
alter table timeline_entries alter column summary set statistics 0, alter column detail set statistics 0;
alter table page_links alter column links set statistics 0;
alter table page_waits alter column open set statistics 0;
alter table links alter column context set statistics 0;
