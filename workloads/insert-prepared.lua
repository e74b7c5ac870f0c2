-- One row at the end of a table, its key by AUTO_INCREMENT; a prepared statement.

local dyno = require("dyno")

dyno.declare({})

local queries

function dyno.prepare()
   queries = dyno.statements("INSERT INTO sbtest%u (k, c, pad) VALUES (?, ?, ?)", "int", "c", "pad")
end

function event()
   local query = queries[dyno.any_table()]
   query[1][0] = dyno.any_id()
   dyno.random_c(query[2])
   dyno.random_pad(query[3])
   dyno.insert(query)
end
