-- The nine tables of orders, as CREATE TABLE has them: parents first, as foreign keys need it. History has no primary
-- key unless it is asked for. Sums have room for days of one warehouse: DECIMAL(12,2) overflows in hours.

local dyno = require("dyno")

local tables = {}

local ADDRESS = "%s_street_1 VARCHAR(20), %s_street_2 VARCHAR(20), %s_city VARCHAR(20), %s_state CHAR(2), %s_zip CHAR(9), "

local function address(prefix)
   return (ADDRESS:gsub("%%s", prefix))
end

local function districts_of_stock()
   local columns = {}
   for number = 1, 10 do
      columns[number] = ("s_dist_%02d CHAR(24), "):format(number)
   end
   return table.concat(columns)
end

-- Of each table: columns, primary key, other keys, keys that the foreign keys need, foreign keys.
local TABLES = {
   {
      "warehouse",
      "w_id INT NOT NULL, w_name VARCHAR(10), " .. address("w") .. "w_tax DECIMAL(4,4), w_ytd DECIMAL(16,2)",
      "w_id",
   },
   {
      "district",
      "d_id INT NOT NULL, d_w_id INT NOT NULL, d_name VARCHAR(10), " .. address("d") ..
         "d_tax DECIMAL(4,4), d_ytd DECIMAL(16,2), d_next_o_id INT",
      "d_w_id, d_id",
      foreign = {{"d_w_id", "warehouse (w_id)"}},
   },
   {
      "customer",
      "c_id INT NOT NULL, c_d_id INT NOT NULL, c_w_id INT NOT NULL, c_first VARCHAR(16), c_middle CHAR(2), " ..
         "c_last VARCHAR(16), " .. address("c") .. "c_phone CHAR(16), c_since DATETIME, c_credit CHAR(2), " ..
         "c_credit_lim DECIMAL(12,2), c_discount DECIMAL(4,4), c_balance DECIMAL(14,2), " ..
         "c_ytd_payment DECIMAL(14,2), c_payment_cnt INT, c_delivery_cnt INT, c_data VARCHAR(500)",
      "c_w_id, c_d_id, c_id",
      keys = {{"customer_name", "c_w_id, c_d_id, c_last, c_first"}},
      foreign = {{"c_w_id, c_d_id", "district (d_w_id, d_id)"}},
   },
   {
      "history",
      "h_c_id INT, h_c_d_id INT, h_c_w_id INT, h_d_id INT, h_w_id INT, h_date DATETIME, h_amount DECIMAL(6,2), " ..
         "h_data VARCHAR(24)",
      needed = {{"history_customer", "h_c_w_id, h_c_d_id, h_c_id"}, {"history_district", "h_w_id, h_d_id"}},
      foreign = {
         {"h_c_w_id, h_c_d_id, h_c_id", "customer (c_w_id, c_d_id, c_id)"},
         {"h_w_id, h_d_id", "district (d_w_id, d_id)"},
      },
   },
   {
      "orders",
      "o_id INT NOT NULL, o_d_id INT NOT NULL, o_w_id INT NOT NULL, o_c_id INT, o_entry_d DATETIME, " ..
         "o_carrier_id INT, o_ol_cnt INT, o_all_local INT",
      "o_w_id, o_d_id, o_id",
      keys = {{"orders_customer", "o_w_id, o_d_id, o_c_id, o_id"}},
      foreign = {{"o_w_id, o_d_id, o_c_id", "customer (c_w_id, c_d_id, c_id)"}},
   },
   {
      "new_orders",
      "no_o_id INT NOT NULL, no_d_id INT NOT NULL, no_w_id INT NOT NULL",
      "no_w_id, no_d_id, no_o_id",
      foreign = {{"no_w_id, no_d_id, no_o_id", "orders (o_w_id, o_d_id, o_id)"}},
   },
   {
      "item",
      "i_id INT NOT NULL, i_im_id INT, i_name VARCHAR(24), i_price DECIMAL(5,2), i_data VARCHAR(50)",
      "i_id",
   },
   {
      "stock",
      "s_i_id INT NOT NULL, s_w_id INT NOT NULL, s_quantity INT, " .. districts_of_stock() ..
         "s_ytd BIGINT DEFAULT 0, s_order_cnt INT DEFAULT 0, s_remote_cnt INT DEFAULT 0, s_data VARCHAR(50)",
      "s_w_id, s_i_id",
      needed = {{"stock_item", "s_i_id"}},
      foreign = {{"s_w_id", "warehouse (w_id)"}, {"s_i_id", "item (i_id)"}},
   },
   {
      "order_line",
      "ol_o_id INT NOT NULL, ol_d_id INT NOT NULL, ol_w_id INT NOT NULL, ol_number INT NOT NULL, ol_i_id INT, " ..
         "ol_supply_w_id INT, ol_delivery_d DATETIME, ol_quantity INT, ol_amount DECIMAL(6,2) DEFAULT 0, ol_dist_info CHAR(24)",
      "ol_w_id, ol_d_id, ol_o_id, ol_number",
      needed = {{"order_line_stock", "ol_supply_w_id, ol_i_id"}},
      foreign = {
         {"ol_w_id, ol_d_id, ol_o_id", "orders (o_w_id, o_d_id, o_id)"},
         {"ol_supply_w_id, ol_i_id", "stock (s_w_id, s_i_id)"},
      },
   },
}

local SCHEMA = "CREATE TABLE %s (%s) ENGINE=%s DEFAULT CHARSET=latin1 %s"

local function add_keys(parts, keys)
   for _, key in ipairs(keys or {}) do
      parts[#parts + 1] = ("KEY %s (%s)%s"):format(key[1], key[2], dyno.key_comment())
   end
end

local function add_primary(parts, table)
   if table[3] then
      parts[#parts + 1] = ("PRIMARY KEY (%s)%s"):format(table[3], dyno.key_comment())
   elseif sysbench.opt.history_key then
      parts[#parts + 1] = "h_id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY" .. dyno.key_comment()
   end
end

local function parts_of(table, has_foreign)
   local parts = {table[2]}
   add_primary(parts, table)
   add_keys(parts, table.keys)
   if sysbench.opt.foreign_keys then
      add_keys(parts, table.needed)
   end
   for number, foreign in ipairs(has_foreign and table.foreign or {}) do
      local text = "CONSTRAINT %s_%u FOREIGN KEY (%s) REFERENCES %s"
      parts[#parts + 1] = text:format(table[1], number, foreign[1], foreign[2])
   end
   return parts
end

local function create(table_of, has_foreign)
   local parts = table.concat(parts_of(table_of, has_foreign), ", ")
   dyno.set_up(SCHEMA:format(table_of[1], parts, sysbench.opt.engine, sysbench.opt.table_options))
end

-- Drop those of an earlier load, children first.
local function drop()
   for at = #TABLES, 1, -1 do
      dyno.set_up("DROP TABLE IF EXISTS " .. TABLES[at][1])
   end
end

-- Create them anew; without foreign keys where the engine refuses the first one (others take them and drop them). The keys
-- that these need are there on every engine.
function tables.create()
   drop()
   local has_foreign = sysbench.opt.foreign_keys
   for _, each in ipairs(TABLES) do
      if has_foreign and each.foreign then
         has_foreign = pcall(create, each, true)
      end
      if not (has_foreign and each.foreign) then
         create(each, false)
      end
   end
end

return tables
