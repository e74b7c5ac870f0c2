-- Several rows with one statement, by primary key or by column k, which has an index.

local dyno = require("dyno")

dyno.declare({
   points = {"Keys of each statement", 100},
   hot = {"The same neighbouring keys each time, in the middle of the table", false},
   by = {"Column they are found by: id or k", "id"},
   columns = {"Columns that are read", "c"},
})

local queries, points, middle

local function read_random()
   local query = queries[dyno.any_table()]
   for i = 1, points do
      query[i][0] = dyno.any_id()
   end
   dyno.read(query)
end

local function read_hot()
   local query = queries[dyno.any_table()]
   for i = 1, points do
      query[i][0] = middle + i
   end
   dyno.read(query)
end

function dyno.prepare()
   local opt, places, kinds = sysbench.opt, {}, {}
   points = opt.points
   middle = math.floor(opt.table_size / 2)
   for i = 1, points do
      places[i], kinds[i] = "?", "int"
   end
   local text = "SELECT " .. opt.columns .. " FROM sbtest%u WHERE " .. opt.by
   queries = dyno.statements(text .. " IN (" .. table.concat(places, ",") .. ")", unpack(kinds))
   event = opt.hot and read_hot or read_random
end

function event()
   error("prepare has not been called")
end
