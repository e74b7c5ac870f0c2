-- Every row of every table once, in the order in which the engine keeps them: the condition fits none, and
-- no index can tell. A thread ends when its tables have been read.

local dyno = require("dyno")

dyno.declare({count = {"Count rows by column pad, in place of asking for those that fit by column c", false}})

local number = sysbench.tid + 1
local text = "SELECT * FROM sbtest%u WHERE LENGTH(c) < 0"

function dyno.prepare()
   if sysbench.opt.count then
      text = "SELECT COUNT(*) FROM sbtest%u WHERE LENGTH(pad) < 0"
   end
   dyno.tell(text:format(1))
end

function event()
   if number > sysbench.opt.tables then
      return true -- nothing is left for this thread
   end
   dyno.connection:query(text:format(number))
   dyno.counts.read = dyno.counts.read + sysbench.opt.table_size -- those of the load, whatever came back
   number = number + sysbench.opt.threads
end
