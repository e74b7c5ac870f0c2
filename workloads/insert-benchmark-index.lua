-- Builds the three secondary indexes of the insert benchmark, one thread a table. A thread ends when its tables
-- have theirs.

local dyno = require("dyno")

dyno.declare({})

local INDEXES = {
   "marketsegment (productid, customerid, price)",
   "registersegment (cashregisterid, customerid, price)",
   "pdc (price, dateandtime, customerid)",
}
local ONE_BY_ONE = {rocksdb = true} -- its memory grows with the indexes of one ALTER

local number = sysbench.tid + 1

function dyno.prepare() end

local function additions()
   local found = {}
   for i, index in ipairs(INDEXES) do
      found[i] = "ADD INDEX " .. index .. dyno.key_comment()
   end
   return ONE_BY_ONE[sysbench.opt.engine:lower()] and found or {table.concat(found, ", ")}
end

function event()
   if number > sysbench.opt.tables then
      return true -- nothing is left for this thread
   end
   for _, addition in ipairs(additions()) do
      dyno.connection:query(("ALTER TABLE pi%u %s"):format(number, addition))
   end
   dyno.counts.read = dyno.counts.read + sysbench.opt.table_size -- it reads every row of its table
   number = number + sysbench.opt.threads
end
