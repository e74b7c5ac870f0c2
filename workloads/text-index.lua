-- Builds the full-text index of the texts, one thread a table. A thread ends when its tables have theirs.

local dyno = require("dyno")

dyno.declare({})

local number = sysbench.tid + 1

function dyno.prepare() end

function event()
   if number > sysbench.opt.tables then
      return true -- nothing is left for this thread
   end
   dyno.connection:query(("ALTER TABLE texts%u ADD FULLTEXT INDEX texts%u_fts(content)"):format(number, number))
   dyno.counts.read = dyno.counts.read + sysbench.opt.table_size -- it reads every row of its table
   number = number + sysbench.opt.threads
end
