-- One row by primary key: its column k, which has an index, or its column c, which has none.

local dyno = require("dyno")
local zipf = require("dyno-zipf")

dyno.declare({
   column = {"Column to be changed: k or c", "k"},
   first_only = {"Only the first row of each table", false},
   zipf_exponent = {"Keys as Zipf's law has them with this exponent; 0: as --rand-type says", 0},
})

local queries
local any_id = dyno.any_id

local function first_id()
   return 1
end

local function change_k()
   local query = queries[dyno.any_table()]
   query[1][0] = any_id()
   dyno.update(query)
end

local function change_c()
   local query = queries[dyno.any_table()]
   dyno.random_c(query[1])
   query[2][0] = any_id()
   dyno.update(query)
end

local function choose_keys()
   if sysbench.opt.first_only then
      any_id = first_id
   elseif sysbench.opt.zipf_exponent > 0 then
      any_id = zipf.drawn(sysbench.opt.table_size, sysbench.opt.zipf_exponent)
   end
end

function dyno.prepare()
   choose_keys()
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
