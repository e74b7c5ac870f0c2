-- Creates the tables of the insert benchmark and fills them, without a secondary index, one thread a table. The
-- rows are the same whichever thread it is. A thread ends when its tables are full.

local dyno = require("dyno")
local purchases = require("dyno-purchases")

dyno.declare({
   rows_per_insert = {"Rows of each INSERT", 100},
   table_options = {"What CREATE TABLE is told besides the engine", ""},
})

local SCHEMA = "CREATE TABLE pi%u (" ..
   "transactionid BIGINT NOT NULL AUTO_INCREMENT, " ..
   "dateandtime DATETIME, " ..
   "cashregisterid INT NOT NULL, " ..
   "customerid INT NOT NULL, " ..
   "productid INT NOT NULL, " ..
   "price INT NOT NULL, " ..
   "data VARCHAR(4000), " ..
   "PRIMARY KEY (transactionid)%s) ENGINE=%s DEFAULT CHARSET=latin1 %s"

local number, full, size -- the table, and how many of its rows are there

function dyno.prepare()
   size = sysbench.opt.table_size
   number, full = sysbench.tid + 1 - sysbench.opt.threads, size
   purchases.make_room(sysbench.opt.rows_per_insert)
end

local function next_table()
   number, full = number + sysbench.opt.threads, 0
   if number > sysbench.opt.tables then
      return false
   end
   dyno.set_up(SCHEMA:format(number, dyno.key_comment(), sysbench.opt.engine, sysbench.opt.table_options))
   dyno.seed(number)
   return true
end

function event()
   if full == size and not next_table() then
      return true -- nothing is left for this thread
   end
   local rows = math.min(sysbench.opt.rows_per_insert, size - full)
   purchases.insert(number, rows)
   full = full + rows
end
