-- Creates the tables and fills them, many rows an INSERT, rows in the order of their key:
--    ordered   one thread a table, ordinary inserts
--    parallel  all threads fill each table, each a stretch of its keys, ordinary inserts
--    bulk      one thread a table, by what its engine has for it
-- The rows are the same whichever it is. A thread ends when nothing is left for it.

local ffi = require("ffi")
local dyno = require("dyno")

dyno.declare({
   load_method = {"How the tables are filled: ordered, parallel or bulk", "ordered"},
   rows_per_insert = {"Rows of each INSERT", 1000},
   table_options = {"What CREATE TABLE is told besides the engine", ""},
})

local SCHEMA = "CREATE TABLE sbtest%u (" ..
   "id INTEGER NOT NULL AUTO_INCREMENT, " ..
   "k INTEGER DEFAULT '0' NOT NULL, " ..
   "c CHAR(120) DEFAULT '' NOT NULL, " ..
   "pad CHAR(60) DEFAULT '' NOT NULL, " ..
   "PRIMARY KEY (id)%s) ENGINE=%s DEFAULT CHARSET=latin1 %s"

-- What is sent before the first row of a table and after its last one.
local BULK = {rocksdb = {before = "SET rocksdb_bulk_load=1", after = "SET rocksdb_bulk_load=0"}}

local ROW = 32 + 119 + 59 + 16 -- bytes that a row takes in the text of an INSERT, at most
local text, inserts
local around = {}
local number, next_insert, end_insert = 0, 0, 0 -- the table, and which of its INSERTs are left to this thread

local function create_tables()
   for i = sysbench.tid + 1, sysbench.opt.tables, sysbench.opt.threads do
      dyno.set_up(SCHEMA:format(i, dyno.key_comment(), sysbench.opt.engine, sysbench.opt.table_options))
   end
end

function dyno.prepare()
   local opt = sysbench.opt
   create_tables()
   text = ffi.new("char[?]", 64 + ROW * opt.rows_per_insert)
   inserts = math.ceil(opt.table_size / opt.rows_per_insert)
   if opt.load_method == "bulk" then
      around = assert(BULK[opt.engine:lower()], "no bulk load for " .. opt.engine)
   end
end

local function put(length, piece)
   ffi.copy(text + length, piece, #piece)
   return length + #piece
end

-- Append "(id,k,'c','pad')" and return the new length.
local function put_row(length, id)
   length = put(length, string.format("(%d,%d,'", id, dyno.any_id()))
   dyno.random_c(text + length)
   length = put(length + 119, "','")
   dyno.random_pad(text + length)
   return put(length + 59, "')")
end

-- Write an INSERT with its number, from 0, into the text. Its rows do not depend on who sends it.
local function fill(insert)
   local first = insert * sysbench.opt.rows_per_insert + 1
   local last = math.min(first + sysbench.opt.rows_per_insert - 1, sysbench.opt.table_size)
   dyno.seed(number, insert)
   local length = put(0, "INSERT INTO sbtest" .. number .. " (id,k,c,pad) VALUES")
   for id = first, last do
      length = put_row(length, id)
      text[length] = 44 -- a comma
      length = length + 1
   end
   return length - 1
end

local function next_table()
   local threads, tid = sysbench.opt.threads, sysbench.tid
   if sysbench.opt.load_method == "parallel" then
      number = number + 1
      next_insert, end_insert = math.floor(inserts * tid / threads), math.floor(inserts * (tid + 1) / threads)
   else
      number = number == 0 and tid + 1 or number + threads
      next_insert, end_insert = 0, inserts
   end
end

local function send(statement)
   if statement then
      dyno.connection:query(statement)
   end
end

function event()
   while next_insert == end_insert do
      next_table()
      if number > sysbench.opt.tables then
         return true -- nothing is left for this thread
      end
      send(around.before)
   end
   dyno.insert_text(text, fill(next_insert))
   next_insert = next_insert + 1
   if next_insert == end_insert then
      send(around.after)
   end
end
