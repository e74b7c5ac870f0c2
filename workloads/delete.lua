-- One row deleted by primary key, and not inserted again.

local dyno = require("dyno")

dyno.declare({})

local queries

function dyno.prepare()
   queries = dyno.statements("DELETE FROM sbtest%u WHERE id=?", "int")
end

function event()
   local query = queries[dyno.any_table()]
   query[1][0] = dyno.any_id()
   dyno.delete(query)
end
