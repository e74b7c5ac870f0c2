-- Creates the tables of orders and fills them: the items, and as many warehouses as the plan has tables, one client a
-- warehouse. The rows of a warehouse are the same whichever client it is. A client ends when its warehouses are full.

local ffi = require("ffi")
local dyno = require("dyno")
local orders = require("dyno-orders")
local tables = require("dyno-orders-tables")
local procedures = require("dyno-orders-procedures")

dyno.declare(orders.options({
   foreign_keys = {"Foreign keys, with the keys that they need; the latter on every engine", true},
   history_key = {"A primary key of the table history", false},
   rows_per_insert = {"Rows of each INSERT", 1000},
   table_options = {"What CREATE TABLE is told besides the engine", ""},
}))

local LOADED_AT = "20260101000000" -- a number: servers read it sooner than a text
local LONGEST_ROW = 900 -- bytes in the text of an INSERT
local COMMA, QUOTE, ZERO = (","):byte(), ("'"):byte(), ("0"):byte()
local between = orders.between

local text, length -- of the INSERT that comes next; nil: it is not written yet
local is_specified, put_text_of, customers, delivered
local batches -- a coroutine that writes them one by one

-- These put something into the text, and a comma behind it. --------------------------------------

local function put(piece)
   ffi.copy(text + length, piece, #piece)
   length = length + #piece
end

local function put_raw(piece)
   put(piece)
   text[length] = COMMA
   length = length + 1
end

local function put_number(number)
   local last, rest = length, number
   while rest >= 10 do
      last, rest = last + 1, rest / 10
   end
   for at = last, length, -1 do
      text[at] = ZERO + number % 10
      number = (number - number % 10) / 10
   end
   text[last + 1] = COMMA
   length = last + 2
end

-- A number of hundredths as a decimal.
local function put_hundredths(number)
   put_number((number - number % 100) / 100)
   text[length - 1] = 46 -- a point in place of the comma
   text[length] = ZERO + (number % 100 - number % 10) / 10
   text[length + 1] = ZERO + number % 10
   text[length + 2] = COMMA
   length = length + 3
end

-- A tax or discount, of at most so many ten thousandths below 10,000.
local function put_share(most)
   put("0.")
   put_number(10000 + between(0, most))
   ffi.copy(text + length - 6, text + length - 5, 5) -- without the 1 before four digits
   length = length - 1
end

local function put_quoted(piece)
   text[length] = QUOTE
   length = length + 1
   put(piece)
   put_raw("'")
end

-- A text of the form, of a length between two.
local function put_text(least, most)
   local size = least == most and least or between(least, most)
   text[length] = QUOTE
   put_text_of(text + length + 1, size)
   length = length + size + 1
   put_raw("'")
end

-- A text of an item; as specified one in ten has a word in it.
local function put_data()
   local from = length + 1
   put_text(26, 50)
   if is_specified and orders.by_chance(10) then
      ffi.copy(text + from + between(0, length - from - 10), "ORIGINAL", 8)
   end
end

-- n digits
local function put_digits(count)
   text[length] = QUOTE
   for at = length + 1, length + count do
      text[at] = ZERO + between(0, 9)
   end
   length = length + count + 1
   put_raw("'")
end

local function put_address()
   put_text(10, 20)
   put_text(10, 20)
   put_text(10, 20)
   put_text(2, 2)
   put_quoted(("%04d11111"):format(between(0, 9999)))
end

-- Batches -----------------------------------------------------------------------------------------

local rows = 0 -- in the text
local TARGET -- the table and its columns

local function send()
   if rows > 0 then
      length = length - 1 -- without the last comma
      coroutine.yield()
      rows = 0
   end
end

local function begin_table(target)
   send()
   TARGET = "INSERT INTO " .. target .. " VALUES "
end

local function begin_row()
   if rows == 0 then
      length = 0
      put(TARGET)
   end
   put("(")
end

local function end_row()
   text[length - 1] = 41 -- a closing parenthesis in place of the comma
   text[length] = COMMA
   length = length + 1
   rows = rows + 1
   if rows == sysbench.opt.rows_per_insert then
      send()
   end
end

-- Tables ------------------------------------------------------------------------------------------

local function fill_items()
   dyno.seed(0)
   begin_table("item")
   for id = 1, sysbench.opt.table_size do
      begin_row()
      put_number(id)
      put_number(between(1, 10000))
      put_text(14, 24)
      put_hundredths(between(100, 10000))
      put_data()
      end_row()
   end
end

local STOCK = "s_i_id,s_w_id,s_quantity,s_dist_01,s_dist_02,s_dist_03,s_dist_04,s_dist_05,s_dist_06,s_dist_07," ..
   "s_dist_08,s_dist_09,s_dist_10,s_data" -- the counters are 0

local function fill_stock(warehouse)
   begin_table(("stock (%s)"):format(STOCK))
   for id = 1, sysbench.opt.table_size do
      begin_row()
      put_number(id)
      put_number(warehouse)
      put_number(between(10, 100))
      for _ = 1, orders.DISTRICTS do
         put_text(24, 24)
      end
      put_data()
      end_row()
   end
end

local PAID = 1000 -- hundredths that each customer has paid

local function fill_warehouse(warehouse)
   begin_table("warehouse")
   begin_row()
   put_number(warehouse)
   put_text(6, 10)
   put_address()
   put_share(2000)
   put_hundredths(orders.DISTRICTS * customers * PAID)
   end_row()
end

local function fill_districts(warehouse)
   begin_table("district")
   for district = 1, orders.DISTRICTS do
      begin_row()
      put_number(district)
      put_number(warehouse)
      put_text(6, 10)
      put_address()
      put_share(2000)
      put_hundredths(customers * PAID)
      put_number(customers + 1)
      end_row()
   end
end

local function last_name(customer)
   if customer <= orders.last_names() then
      return orders.last_name(customer - 1)
   end
   return orders.any_last_name()
end

local function fill_customers(warehouse, district)
   begin_table("customer")
   for customer = 1, customers do
      begin_row()
      put_number(customer)
      put_number(district)
      put_number(warehouse)
      put_text(8, 16)
      put_quoted("OE")
      put_quoted(last_name(customer))
      put_address()
      put_digits(16)
      put_raw(LOADED_AT)
      put_quoted(orders.by_chance(10) and "BC" or "GC")
      put("50000.00,")
      put_share(5000)
      put("-10.00,10.00,1,0,")
      put_text(300, 500)
      end_row()
   end
end

local HISTORY = "history (h_c_id,h_c_d_id,h_c_w_id,h_d_id,h_w_id,h_date,h_amount,h_data)"

local function fill_history(warehouse, district)
   begin_table(HISTORY)
   for customer = 1, customers do
      begin_row()
      put_number(customer)
      put_number(district)
      put_number(warehouse)
      put_number(district)
      put_number(warehouse)
      put_raw(LOADED_AT)
      put_hundredths(PAID)
      put_text(12, 24)
      end_row()
   end
end

local customer_of, lines_of = {}, {} -- of each order of a district

-- Each customer has one order, in any order of them.
local function draw_orders()
   for id = 1, customers do
      customer_of[id], lines_of[id] = id, between(5, 15)
   end
   for id = customers, 2, -1 do
      local other = between(1, id)
      customer_of[id], customer_of[other] = customer_of[other], customer_of[id]
   end
end

local function fill_orders(warehouse, district)
   begin_table("orders")
   for id = 1, customers do
      begin_row()
      put_number(id)
      put_number(district)
      put_number(warehouse)
      put_number(customer_of[id])
      put_raw(LOADED_AT)
      if id <= delivered then
         put_number(between(1, 10))
      else
         put_raw("NULL")
      end
      put_number(lines_of[id])
      put_number(1)
      end_row()
   end
end

local LINE = "order_line (ol_o_id,ol_d_id,ol_w_id,ol_number,ol_i_id,ol_supply_w_id,ol_quantity,ol_dist_info,%s)"

-- A line has a date of delivery and cost nothing, or it is open and has a price.
local function put_line(warehouse, district, order, number)
   begin_row()
   put_number(order)
   put_number(district)
   put_number(warehouse)
   put_number(number)
   put_number(between(1, sysbench.opt.table_size))
   put_number(warehouse)
   put_number(5)
   put_text(24, 24)
   if order <= delivered then
      put_raw(LOADED_AT)
   else
      put_hundredths(between(1, 999999))
   end
   end_row()
end

local function fill_order_lines(warehouse, district)
   begin_table(LINE:format("ol_delivery_d"))
   for order = 1, customers do
      if order == delivered + 1 then
         begin_table(LINE:format("ol_amount"))
      end
      for number = 1, lines_of[order] do
         put_line(warehouse, district, order, number)
      end
   end
end

local function fill_new_orders(warehouse, district)
   begin_table("new_orders")
   for id = delivered + 1, customers do
      begin_row()
      put_number(id)
      put_number(district)
      put_number(warehouse)
      end_row()
   end
end

local function fill_whole(warehouse)
   dyno.seed(warehouse)
   fill_warehouse(warehouse)
   fill_districts(warehouse)
   fill_stock(warehouse)
   for district = 1, orders.DISTRICTS do
      fill_customers(warehouse, district)
      fill_history(warehouse, district)
      draw_orders()
      fill_orders(warehouse, district)
      fill_order_lines(warehouse, district)
      fill_new_orders(warehouse, district)
   end
   send()
end

local function fill_all()
   if sysbench.tid == 0 then
      fill_items()
   end
   for warehouse = sysbench.tid + 1, sysbench.opt.tables, sysbench.opt.threads do
      fill_whole(warehouse)
   end
   send()
end

-- Clients -----------------------------------------------------------------------------------------

function dyno.prepare()
   is_specified = orders.is_specified()
   put_text_of = is_specified and orders.put_random or orders.put_letter
   customers, delivered = orders.customers(), orders.delivered()
   if is_specified then
      orders.fix_constants_of_load()
   end
   if sysbench.tid == 0 then
      tables.create()
      procedures.create()
   end
   dyno.set_up("SET foreign_key_checks = 0")
   text = ffi.new("char[?]", 128 + LONGEST_ROW * sysbench.opt.rows_per_insert)
   batches = coroutine.create(fill_all)
end

local is_written = false -- and was not answered yet

function event()
   if not is_written then
      assert(coroutine.resume(batches))
      if coroutine.status(batches) == "dead" then
         return true -- nothing is left for this client
      end
      is_written = true
   end
   dyno.insert_text(text, length)
   is_written = false
end
