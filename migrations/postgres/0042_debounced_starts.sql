-- works from: 14
-- Starts that wait whether another of their key comes, see 0036_flow_places.sql. They wait in a line of
-- their own, in which the newest displaces the others.
-- When the newest begins; null: it waits for no other start.
alter table flow_waits add column due_at timestamptz;
-- The first start of those that the newest displaced.
alter table flow_waits add column first_at timestamptz;
-- The line that it waits in afterwards, as JSON; null: none.
alter table flow_waits add column next_line text;
