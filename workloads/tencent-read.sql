# The study tells that it read, not what: this is ours. One row by its primary key, all keys equally likely.
declare
  id int 1 rows
begin
  select id0, id1, intcol1, intcol2, intcol3, charcol1 from tmp_sample where id = :id;
end
