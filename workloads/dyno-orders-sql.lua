-- The five transactions of orders as statements of the client, by the number of their kind.

local dyno = require("dyno")
local draws = require("dyno-orders-draws")
local named = require("dyno-named")
local orders = require("dyno-orders")

local value, keep = named.value, named.keep
local sql = {}

local TYPES = {amount = "decimal", total = "decimal", data = "text", dist = "text", now = "text"}
local is_specified
local query = {} -- prepared statements by name

local function prepare(statements)
   for name, text in pairs(statements) do
      query[name] = named.statement(text, TYPES)
   end
end

-- These carry out a prepared statement with the values of the moment.

local function read(name)
   dyno.read(named.bind(query[name]))
end

local function insert(name)
   dyno.insert(named.bind(query[name]))
end

local function update(name)
   dyno.update(named.bind(query[name]))
end

local function delete(name)
   dyno.delete(named.bind(query[name]))
end

-- A new order -------------------------------------------------------------------------------------

local DISTRICT = "SELECT d_next_o_id, d_tax FROM district WHERE d_w_id = :w_id AND d_id = :d_id FOR UPDATE"
local ITEM = "SELECT i_price, i_name, i_data FROM item WHERE i_id = :item"
local STOCK = "SELECT s_quantity, s_dist_:dd, s_data FROM stock WHERE s_i_id = :item AND s_w_id = :supply FOR UPDATE"

local function prepare_new_order()
   local counters = is_specified and ", s_ytd = s_ytd + :ordered, s_order_cnt = s_order_cnt + 1," ..
      " s_remote_cnt = s_remote_cnt + :is_remote" or "" -- as commonly run they stay as they are
   prepare({
      customer = "SELECT c_discount, c_last, c_credit, w_tax FROM customer, warehouse WHERE w_id = :w_id" ..
         " AND c_w_id = w_id AND c_d_id = :d_id AND c_id = :c_id",
      next_order = "UPDATE district SET d_next_o_id = :o_id + 1 WHERE d_w_id = :w_id AND d_id = :d_id",
      order = "INSERT INTO orders (o_id, o_d_id, o_w_id, o_c_id, o_entry_d, o_ol_cnt, o_all_local)" ..
         " VALUES (:o_id, :d_id, :w_id, :c_id, :now, :lines, :all_local)",
      new_order = "INSERT INTO new_orders (no_o_id, no_d_id, no_w_id) VALUES (:o_id, :d_id, :w_id)",
      stock = "UPDATE stock SET s_quantity = :left" .. counters .. " WHERE s_i_id = :item AND s_w_id = :supply",
      line = "INSERT INTO order_line (ol_o_id, ol_d_id, ol_w_id, ol_number, ol_i_id, ol_supply_w_id, ol_quantity," ..
         " ol_amount, ol_dist_info) VALUES (:o_id, :d_id, :w_id, :number, :item, :supply, :ordered, :amount, :dist)",
   })
end

-- False: there is no such item.
local function order_line(number)
   local line = draws.lines[number]
   value.number, value.item, value.supply, value.ordered = number, line.item, line.warehouse, line.quantity
   if not keep(ITEM, {"price"}) then
      return false
   end
   keep(STOCK, {"left", "dist"})
   local left = tonumber(value.left)
   value.left = left - line.quantity + (left >= line.quantity + 10 and 0 or 91)
   value.is_remote = line.warehouse == value.w_id and 0 or 1
   value.amount = tonumber(value.price) * line.quantity
   update("stock")
   insert("line")
   return true
end

local function new_order()
   value.dd = ("%02d"):format(value.d_id)
   dyno.begin()
   read("customer")
   keep(DISTRICT, {"o_id"})
   update("next_order")
   insert("order")
   insert("new_order")
   for number = 1, value.lines do
      if not order_line(number) then
         return sysbench.hooks.before_restart_event() -- ROLLBACK, counted apart
      end
   end
   dyno.commit()
end

-- A payment ---------------------------------------------------------------------------------------

local NAMED = "SELECT COUNT(c_id) FROM customer WHERE c_w_id = :c_w_id AND c_d_id = :c_d_id AND c_last = ':c_last'"
local BY_NAME = "SELECT c_id, c_first, c_middle, c_balance FROM customer" ..
   " WHERE c_w_id = :c_w_id AND c_d_id = :c_d_id AND c_last = ':c_last' ORDER BY c_first"
local OF_CUSTOMER = " FROM customer WHERE c_w_id = :c_w_id AND c_d_id = :c_d_id AND c_id = :c_id"
local PAYER = "SELECT c_credit, c_first, c_middle, c_last, c_street_1, c_street_2, c_city, c_state, c_zip, c_phone," ..
   " c_credit_lim, c_discount, c_balance, c_since" .. OF_CUSTOMER .. " FOR UPDATE"
local DATA = "SELECT c_data" .. OF_CUSTOMER .. " FOR UPDATE" -- another payment may be newer than what this one sees
local ADDRESS = "%s_name, %s_street_1, %s_street_2, %s_city, %s_state, %s_zip"
local WAREHOUSE = "SELECT " .. ADDRESS:gsub("%%s", "w") .. " FROM warehouse WHERE w_id = :w_id"
local HOME = "SELECT " .. ADDRESS:gsub("%%s", "d") .. " FROM district WHERE d_w_id = :w_id AND d_id = :d_id"

local function prepare_payment()
   local paid = "UPDATE customer SET c_balance = c_balance - :amount, c_ytd_payment = c_ytd_payment + :amount"
   local counter = is_specified and ", c_payment_cnt = c_payment_cnt + 1" or ""
   local by_key = " WHERE c_w_id = :c_w_id AND c_d_id = :c_d_id AND c_id = :c_id"
   prepare({
      to_warehouse = "UPDATE warehouse SET w_ytd = w_ytd + :amount WHERE w_id = :w_id",
      to_district = "UPDATE district SET d_ytd = d_ytd + :amount WHERE d_w_id = :w_id AND d_id = :d_id",
      paid = paid .. counter .. by_key,
      paid_with_data = paid .. counter .. ", c_data = :data" .. by_key,
      history = "INSERT INTO history (h_c_id, h_c_d_id, h_c_w_id, h_d_id, h_w_id, h_date, h_amount, h_data)" ..
         " VALUES (:c_id, :c_d_id, :c_w_id, :d_id, :w_id, :now, :amount, :data)",
   })
end

-- Of the customers of a name the one in the middle, by first name.
local function find_customer()
   if value.is_named then
      keep(NAMED, {"namesakes"})
      local found = keep(BY_NAME, {"c_id"}, math.ceil(value.namesakes / 2))
      assert(found, "orders: nobody is named so: were the tables loaded with another number of rows?")
   end
end

local PAYMENT = "%d %d %d %d %d %.2f|%s"

local function take_payment()
   if value.credit ~= "BC" then
      return update("paid")
   end
   keep(DATA, {"data"})
   local of = {tonumber(value.c_id), value.c_d_id, value.c_w_id, value.d_id, value.w_id, value.amount, value.data}
   value.data = PAYMENT:format(unpack(of)):sub(1, 500)
   update("paid_with_data")
end

local function payment()
   dyno.begin()
   update("to_warehouse")
   keep(WAREHOUSE, {"w_name"})
   update("to_district")
   keep(HOME, {"d_name"})
   find_customer()
   keep(PAYER, {"credit"})
   take_payment()
   value.data = value.w_name .. "    " .. value.d_name
   insert("history")
   dyno.commit()
end

-- The state of an order ---------------------------------------------------------------------------

local LATEST = "SELECT o_id, o_carrier_id, o_entry_d FROM orders WHERE o_w_id = :c_w_id AND o_d_id = :c_d_id" ..
   " AND o_c_id = :c_id ORDER BY o_id DESC LIMIT 1"

local function prepare_order_status()
   prepare({
      balance = "SELECT c_balance, c_first, c_middle, c_last" .. OF_CUSTOMER,
      lines = "SELECT ol_i_id, ol_supply_w_id, ol_quantity, ol_amount, ol_delivery_d FROM order_line" ..
         " WHERE ol_w_id = :c_w_id AND ol_d_id = :c_d_id AND ol_o_id = :o_id",
   })
end

local function order_status()
   dyno.begin()
   find_customer()
   if not value.is_named then
      read("balance")
   end
   keep(LATEST, {"o_id"})
   if not is_specified then
      value.o_id = value.d_id -- as commonly run: always one of the ten oldest
   end
   read("lines")
   dyno.commit()
end

-- A delivery --------------------------------------------------------------------------------------

local OLDEST = "SELECT no_o_id FROM new_orders WHERE no_w_id = :w_id AND no_d_id = :d_id" ..
   " ORDER BY no_o_id LIMIT 1 FOR UPDATE"
-- FOR UPDATE: the oldest order may be newer than what this transaction sees, where few are left
local ORDERER = "SELECT o_c_id FROM orders WHERE o_w_id = :w_id AND o_d_id = :d_id AND o_id = :o_id FOR UPDATE"
local TOTAL = "SELECT SUM(ol_amount) FROM order_line WHERE ol_w_id = :w_id AND ol_d_id = :d_id AND ol_o_id = :o_id"

local function prepare_delivery()
   prepare({
      not_new = "DELETE FROM new_orders WHERE no_w_id = :w_id AND no_d_id = :d_id AND no_o_id = :o_id",
      carried = "UPDATE orders SET o_carrier_id = :carrier WHERE o_w_id = :w_id AND o_d_id = :d_id AND o_id = :o_id",
      delivered = "UPDATE order_line SET ol_delivery_d = :now" ..
         " WHERE ol_w_id = :w_id AND ol_d_id = :d_id AND ol_o_id = :o_id",
      charged = "UPDATE customer SET c_balance = c_balance + :total, c_delivery_cnt = c_delivery_cnt + 1" ..
         " WHERE c_w_id = :w_id AND c_d_id = :d_id AND c_id = :c_id",
   })
end

local function deliver_oldest()
   if not keep(OLDEST, {"o_id"}) then
      return -- all orders of this district are delivered
   end
   delete("not_new")
   keep(ORDERER, {"c_id"})
   update("carried")
   update("delivered")
   keep(TOTAL, {"total"})
   update("charged")
end

local function delivery()
   dyno.begin()
   for district = 1, orders.DISTRICTS do
      value.d_id = district
      deliver_oldest()
   end
   dyno.commit()
end

-- The level of the stock --------------------------------------------------------------------------

local NEXT = "SELECT d_next_o_id FROM district WHERE d_w_id = :w_id AND d_id = :d_id"

local function prepare_stock_level()
   prepare({
      low = "SELECT COUNT(DISTINCT s_i_id) FROM order_line, stock WHERE ol_w_id = :w_id AND ol_d_id = :d_id" ..
         " AND ol_o_id < :o_id AND ol_o_id >= :o_id - 20 AND s_w_id = :w_id AND s_i_id = ol_i_id" ..
         " AND s_quantity < :threshold",
   })
end

local function stock_level()
   dyno.begin()
   keep(NEXT, {"o_id"})
   read("low")
   dyno.commit()
end

function sql.prepare()
   is_specified = orders.is_specified()
   dyno.prepare_transaction()
   prepare_new_order()
   prepare_payment()
   prepare_order_status()
   prepare_delivery()
   prepare_stock_level()
   return {new_order, payment, order_status, delivery, stock_level}
end

return sql
