-- What never changes is refused by the database too, whoever asks. The runtime has no statement that
-- these triggers would be asked for, so they cost it nothing.

create trigger refuse_change before update on recorded_outputs
  for each row execute function refuse_change();
create trigger refuse_change before update on work_items
  for each row execute function refuse_change();
create trigger refuse_change before update on definitions
  for each row execute function refuse_change();
