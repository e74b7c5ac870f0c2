-- Several rows by primary key with one statement: their column c, which has no index.

local dyno = require("dyno")

dyno.declare({points = {"Keys of each statement", 10}})

local queries, points

local function repeated(text, times)
   local parts = {}
   for i = 1, times do
      parts[i] = text
   end
   return parts
end

function dyno.prepare()
   points = sysbench.opt.points
   local list = table.concat(repeated("?", points), ",")
   local text = "UPDATE sbtest%u SET c=? WHERE id IN (" .. list .. ")"
   queries = dyno.statements(text, "c", unpack(repeated("int", points)))
end

function event()
   local query = queries[dyno.any_table()]
   dyno.random_c(query[1])
   for i = 1, points do
      query[i + 1][0] = dyno.any_id()
   end
   dyno.update(query)
end
