-- The values of the five transactions of orders, by the number of their kind. They lie in one table by name, from which
-- the statements take them.

local dyno = require("dyno")
local named = require("dyno-named")
local orders = require("dyno-orders")

local between, by_chance = orders.between, orders.by_chance
local value = named.value
local draws = {lines = {}} -- of a new order: what is ordered, of which warehouse, how many

-- The warehouse of the client, and one of its districts.
local function draw_home()
   value.w_id, value.d_id = dyno.any_table(), between(1, orders.DISTRICTS)
end

local function other_warehouse()
   if not orders.is_specified() or sysbench.opt.tables == 1 then
      return value.w_id -- as commonly run there is no other one
   end
   local other = between(1, sysbench.opt.tables - 1)
   return other < value.w_id and other or other + 1
end

-- Six of ten are named, the others come with their number.
local function draw_customer()
   value.is_named = by_chance(60)
   if value.is_named then
      value.c_last = orders.any_last_name()
   else
      value.c_id = orders.any_customer()
   end
end

-- A new order -------------------------------------------------------------------------------------

local function draw_line(number)
   local line = draws.lines[number] or {}
   draws.lines[number] = line
   line.item, line.quantity = orders.any_item(), between(1, 10)
   line.warehouse = by_chance(1) and other_warehouse() or value.w_id
   value.all_local = line.warehouse == value.w_id and value.all_local or 0
end

-- One order in a hundred has an item that is unknown: the last one, as commonly run the one before that.
local function draw_rollback()
   if draws.has_transactions and by_chance(1) then
      local number = value.lines - (orders.is_specified() and 0 or 1)
      draws.lines[number].item = sysbench.opt.table_size + 1
   end
end

draws[1] = function()
   draw_home()
   value.c_id, value.lines, value.all_local = orders.any_customer(), between(5, 15), 1
   for number = 1, value.lines do
      draw_line(number)
   end
   draw_rollback()
   value.now = os.date("%Y-%m-%d %H:%M:%S")
end

-- A payment ---------------------------------------------------------------------------------------

draws[2] = function()
   draw_home()
   value.c_w_id, value.c_d_id = value.w_id, value.d_id
   if by_chance(15) then
      value.c_w_id, value.c_d_id = other_warehouse(), between(1, orders.DISTRICTS)
   end
   draw_customer()
   value.amount = between(100, 500000) / 100
   value.now = os.date("%Y-%m-%d %H:%M:%S")
end

-- The state of an order ---------------------------------------------------------------------------

draws[3] = function()
   draw_home()
   value.c_w_id, value.c_d_id = value.w_id, value.d_id
   draw_customer()
end

-- A delivery --------------------------------------------------------------------------------------

draws[4] = function()
   draw_home()
   value.carrier = between(1, 10)
   value.now = os.date("%Y-%m-%d %H:%M:%S")
end

-- The level of the stock --------------------------------------------------------------------------

-- As specified a client keeps to one district.
draws[5] = function()
   draw_home()
   if orders.is_specified() then
      value.d_id = math.floor(sysbench.tid / sysbench.opt.tables) % orders.DISTRICTS + 1
   end
   value.threshold = between(10, 20)
end

return draws
