-- Builds the index on column k, one thread a table. A thread ends when its tables have theirs.

local dyno = require("dyno")

dyno.declare({})

local number = sysbench.tid + 1

function dyno.prepare() end

function event()
   if number > sysbench.opt.tables then
      return true -- nothing is left for this thread
   end
   dyno.connection:query(("CREATE INDEX k_%u ON sbtest%u(k)%s"):format(number, number, dyno.key_comment()))
   dyno.counts.read = dyno.counts.read + sysbench.opt.table_size -- it reads every row of its table
   number = number + sysbench.opt.threads
end
