# The table and the writes of the Tencent study: its file for mydbtest, with an id that the reads ask for, and
# with the text column that its file declares and never fills.
declare
  id0      char 1 32
  id1      char 1 32
  charcol1 char 512 1024 zlib 0.4
  intcol1  int 1 10000000
  intcol2  int 1 10000000
  intcol3  int 1 10000000
tables
  create table tmp_sample (
    id bigint not null auto_increment,
    id0 varchar(32), id1 varchar(32),
    intcol1 int, intcol2 int, intcol3 int,
    charcol1 varchar(1024),
    primary key (id));
fill
  insert into tmp_sample set id0 = :id0, id1 = :id1, intcol1 = :intcol1, intcol2 = :intcol2, intcol3 = :intcol3,
    charcol1 = :charcol1;
begin
  insert into tmp_sample set id0 = :id0, id1 = :id1, intcol1 = :intcol1, intcol2 = :intcol2, intcol3 = :intcol3,
    charcol1 = :charcol1;
end
