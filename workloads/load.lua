-- Creates the tables and fills them: rows in the order of their key, one thread a table, many rows a
-- statement. A thread ends when its tables are full.

local ffi = require("ffi")
local dyno = require("dyno")

dyno.declare({
   table_options = {"What CREATE TABLE is told besides the engine", ""},
   rows_per_insert = {"Rows of each INSERT", 1000},
})

local SCHEMA = "CREATE TABLE sbtest%u (" ..
   "id INTEGER NOT NULL AUTO_INCREMENT, " ..
   "k INTEGER DEFAULT '0' NOT NULL, " ..
   "c CHAR(120) DEFAULT '' NOT NULL, " ..
   "pad CHAR(60) DEFAULT '' NOT NULL, " ..
   "PRIMARY KEY (id)) ENGINE=%s DEFAULT CHARSET=latin1 %s"

local ROW = 32 + 119 + 59 + 16 -- bytes that a row takes in the text of an INSERT, at most
local text, number, full

local function create_tables()
   for i = sysbench.tid + 1, sysbench.opt.tables, sysbench.opt.threads do
      dyno.set_up(SCHEMA:format(i, sysbench.opt.engine, sysbench.opt.table_options))
   end
end

local function next_table(i)
   number, full = i, 0 -- rows it has
   dyno.seed(i) -- its rows do not depend on the number of threads
end

function dyno.prepare()
   create_tables()
   text = ffi.new("char[?]", 64 + ROW * sysbench.opt.rows_per_insert)
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

local function fill(first, last)
   local length = put(0, "INSERT INTO sbtest" .. number .. " (id,k,c,pad) VALUES")
   for id = first, last do
      length = put_row(length, id)
      text[length] = 44 -- a comma
      length = length + 1
   end
   return length - 1
end

function event()
   if number == nil then
      next_table(sysbench.tid + 1)
   elseif full >= sysbench.opt.table_size then
      next_table(number + sysbench.opt.threads)
   end
   if number > sysbench.opt.tables then
      return true -- nothing is left for this thread
   end
   local last = math.min(full + sysbench.opt.rows_per_insert, sysbench.opt.table_size)
   dyno.insert_text(text, fill(full + 1, last))
   full = last
end
