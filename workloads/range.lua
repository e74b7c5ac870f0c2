-- One range of rows, in the order of the primary key or of column k, which has an index.

local dyno = require("dyno")

dyno.declare({
   range_size = {"Keys of each range", 100},
   by = {"Column whose order it is: id or k", "id"},
   columns = {"Columns that are read", "c"},
})

local queries, beyond

function dyno.prepare()
   local opt = sysbench.opt
   beyond = opt.range_size - 1
   local text = "SELECT " .. opt.columns .. " FROM sbtest%u WHERE " .. opt.by
   queries = dyno.statements(text .. " BETWEEN ? AND ?", "int", "int")
end

function event()
   local query, key = queries[dyno.any_table()], dyno.any_id()
   query[1][0] = key
   query[2][0] = key + beyond
   dyno.read(query)
end
