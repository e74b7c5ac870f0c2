-- One row deleted by primary key, and not inserted again. No key is taken twice: every statement finds its
-- row, however fast the server is. The rows of all tables come in a scattered order; clients take turns.

local dyno = require("dyno")

dyno.declare({})

local queries, tables, total, stride, turn

local function greatest_common_divisor(a, b)
   while b > 0 do
      a, b = b, a % b
   end
   return a
end

-- A step through all rows that meets each of them once, and no neighbours.
local function any_stride()
   local found = math.max(1, math.floor(total * 0.618))
   while greatest_common_divisor(found, total) > 1 do
      found = found + 1
   end
   return found
end

function dyno.prepare()
   tables, turn = sysbench.opt.tables, sysbench.tid
   total = tables * sysbench.opt.table_size
   stride = any_stride()
   queries = dyno.statements("DELETE FROM sbtest%u WHERE id=?", "int")
end

function event()
   if turn >= total then
      return true -- no row is left for this thread
   end
   local place = tonumber((turn * 1ULL * stride) % total)
   local query = queries[place % tables + 1]
   query[1][0] = math.floor(place / tables) + 1
   dyno.delete(query)
   turn = turn + sysbench.opt.threads
end
