-- What never changes is refused by the database too, whoever asks.

create trigger recorded_outputs_refuse_update before update on recorded_outputs begin
  select raise(abort, 'UPDATE of recorded_outputs is refused: a result on record stays as it is');
end;
create trigger work_items_refuse_update before update on work_items begin
  select raise(abort, 'UPDATE of work_items is refused: an item stays as it was made');
end;
create trigger definitions_refuse_update before update on definitions begin
  select raise(abort, 'UPDATE of definitions is refused: a change is another revision');
end;
