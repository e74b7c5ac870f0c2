-- The five transactions of orders as calls of stored procedures, by the number of their kind. What a procedure writes
-- is not counted in rows: the server does not say it.

local draws = require("dyno-orders-draws")
local named = require("dyno-named")
local procedures = require("dyno-orders-procedures")

local value = named.value
local calls = {}

local TYPES = {amount = "decimal", now = "text", ordered = "text", called = "text"}
local PARAMETERS = {
   ":w_id, :d_id, :c_id, :lines, :all_local, :now, :ordered",
   ":w_id, :d_id, :c_w_id, :c_d_id, :c_id, :called, :amount, :now",
   ":d_id, :c_w_id, :c_d_id, :c_id, :called",
   ":w_id, :carrier, :now",
   ":w_id, :d_id, :threshold",
}

-- The lines of an order as one text: item, warehouse, quantity.
local function write_lines()
   local lines = {}
   for number = 1, value.lines do
      local line = draws.lines[number]
      lines[number] = ("%d,%d,%d"):format(line.item, line.warehouse, line.quantity)
   end
   value.ordered = table.concat(lines, ";")
end

local function is_rolled_back()
   for number = 1, value.lines do
      if draws.lines[number].item > sysbench.opt.table_size then
         return true
      end
   end
   return false
end

local function name_customer()
   value.called = value.is_named and value.c_last or ""
   value.c_id = value.c_id or 0
end

function calls.prepare()
   local queries = {}
   for kind, name in ipairs(procedures.NAMES) do
      local text = ("CALL %s_%s(%s)"):format(name, sysbench.opt.form, PARAMETERS[kind])
      queries[kind] = named.statement(text, TYPES)
   end
   local function call(kind)
      named.bind(queries[kind]).handle:execute()
   end
   return {
      function()
         write_lines()
         call(1)
         if is_rolled_back() then
            sysbench.hooks.before_restart_event() -- the procedure has rolled back: this counts it
         end
      end,
      function()
         name_customer()
         call(2)
      end,
      function()
         name_customer()
         call(3)
      end,
      function() call(4) end,
      function() call(5) end,
   }
end

return calls
