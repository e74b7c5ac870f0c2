-- One row by primary key: its column k, which has an index, or its column c, which has none.

local dyno = require("dyno")

dyno.declare({column = {"Column to be changed: k or c", "k"}})

local queries

local function change_k()
   local query = queries[dyno.any_table()]
   query[1][0] = dyno.any_id()
   dyno.update(query)
end

local function change_c()
   local query = queries[dyno.any_table()]
   dyno.random_c(query[1])
   query[2][0] = dyno.any_id()
   dyno.update(query)
end

function dyno.prepare()
   if sysbench.opt.column == "k" then
      queries = dyno.statements("UPDATE sbtest%u SET k=k+1 WHERE id=?", "int")
      event = change_k
   else
      queries = dyno.statements("UPDATE sbtest%u SET c=? WHERE id=?", "c", "int")
      event = change_c
   end
end

function event()
   error("prepare has not been called")
end
