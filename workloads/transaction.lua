-- The classic transaction: points, ranges, updates, and a row deleted and inserted again. How often
-- each occurs is an option: read-only, write-only and read-write are this file.

local dyno = require("dyno")

dyno.declare({
   range_size = {"Rows of each range", 100},
   point_selects = {"Rows read by primary key", 10},
   simple_ranges = {"Ranges read as they are", 1},
   sum_ranges = {"Ranges summed up", 1},
   order_ranges = {"Ranges sorted", 1},
   distinct_ranges = {"Ranges sorted, without duplicates", 1},
   index_updates = {"Changes of column k, which has an index", 1},
   non_index_updates = {"Changes of column c, which has none", 1},
   delete_inserts = {"Rows deleted and inserted again with the same key", 1},
   skip_trx = {"No BEGIN and COMMIT: each statement is committed by itself", false},
})

local parts = {} -- what an event does, in this order

local function add(times, action)
   for _ = 1, times do
      parts[#parts + 1] = action
   end
end

-- One table for all points of a transaction, as in the classic workload.
local function add_points()
   local times = sysbench.opt.point_selects
   local queries = dyno.statements("SELECT c FROM sbtest%u WHERE id=?", "int")
   add(1, function()
      local query = queries[dyno.any_table()]
      for _ = 1, times do
         query[1][0] = dyno.any_id()
         dyno.read(query)
      end
   end)
end

local function add_ranges(times, text)
   local queries = dyno.statements(text, "int", "int")
   local beyond = sysbench.opt.range_size - 1
   add(times, function()
      local query, id = queries[dyno.any_table()], dyno.any_id()
      query[1][0] = id
      query[2][0] = id + beyond
      dyno.read(query)
   end)
end

local function add_index_updates(times)
   local queries = dyno.statements("UPDATE sbtest%u SET k=k+1 WHERE id=?", "int")
   add(times, function()
      local query = queries[dyno.any_table()]
      query[1][0] = dyno.any_id()
      dyno.update(query)
   end)
end

local function add_non_index_updates(times)
   local queries = dyno.statements("UPDATE sbtest%u SET c=? WHERE id=?", "c", "int")
   add(times, function()
      local query = queries[dyno.any_table()]
      dyno.random_c(query[1])
      query[2][0] = dyno.any_id()
      dyno.update(query)
   end)
end

local function add_delete_inserts(times)
   local deletes = dyno.statements("DELETE FROM sbtest%u WHERE id=?", "int")
   local text = "INSERT INTO sbtest%u (id, k, c, pad) VALUES (?, ?, ?, ?)"
   local inserts = dyno.statements(text, "int", "int", "c", "pad")
   add(times, function()
      local number, id = dyno.any_table(), dyno.any_id()
      local delete, insert = deletes[number], inserts[number]
      delete[1][0] = id
      insert[1][0] = id
      insert[2][0] = dyno.any_id()
      dyno.random_c(insert[3])
      dyno.random_pad(insert[4])
      dyno.delete(delete)
      dyno.insert(insert)
   end)
end

-- What an event does not do is not prepared: a thousand clients would have more statements than a server takes.
local function add_parts(opt)
   local ranges = {
      {opt.simple_ranges, "SELECT c FROM sbtest%u WHERE id BETWEEN ? AND ?"},
      {opt.sum_ranges, "SELECT SUM(k) FROM sbtest%u WHERE id BETWEEN ? AND ?"},
      {opt.order_ranges, "SELECT c FROM sbtest%u WHERE id BETWEEN ? AND ? ORDER BY c"},
      {opt.distinct_ranges, "SELECT DISTINCT c FROM sbtest%u WHERE id BETWEEN ? AND ? ORDER BY c"},
   }
   if opt.point_selects > 0 then add_points() end
   for _, range in ipairs(ranges) do
      if range[1] > 0 then add_ranges(unpack(range)) end
   end
   if opt.index_updates > 0 then add_index_updates(opt.index_updates) end
   if opt.non_index_updates > 0 then add_non_index_updates(opt.non_index_updates) end
   if opt.delete_inserts > 0 then add_delete_inserts(opt.delete_inserts) end
end

function dyno.prepare()
   local is_transaction = not sysbench.opt.skip_trx
   if is_transaction then
      dyno.prepare_transaction()
      add(1, dyno.begin)
   end
   add_parts(sysbench.opt)
   if is_transaction then
      add(1, dyno.commit)
   end
end

function event()
   for i = 1, #parts do
      parts[i]()
   end
end
