-- One row by primary key, and a planted difference: so many of 100 events ask twice as the server's init_connect
-- says (SET @dyno_planted_pct = 10). A second answer appears in no figure.

local dyno = require("dyno")

dyno.declare({})

local queries
local planted_pct, owed_pct = 0, 0

function dyno.prepare()
   queries = dyno.statements("SELECT c FROM sbtest%u WHERE id=?", "int")
   local on_connect = dyno.look_up("SELECT @@init_connect")[1][1] or ""
   planted_pct = tonumber(on_connect:match("@dyno_planted_pct = (%d+)")) or 0
end

local function any_query()
   local query = queries[dyno.any_table()]
   query[1][0] = dyno.any_id()
   return query
end

function event()
   dyno.read(any_query())
   owed_pct = owed_pct + planted_pct
   if owed_pct >= 100 then
      owed_pct = owed_pct - 100
      any_query().handle:execute()
   end
end
