-- Five transactions on the tables of orders, drawn by their shares: new orders, payments, the state of an order, the
-- delivery of the oldest orders, and the level of the stock. In two forms: docs/developers/orders.md.

local dyno = require("dyno")
local calls = require("dyno-orders-calls")
local draws = require("dyno-orders-draws")
local kinds = require("dyno-kinds")
local orders = require("dyno-orders")
local sql = require("dyno-orders-sql")
local terminal = require("dyno-terminal")

dyno.declare(orders.options({
   procedures = {"Each transaction is a stored procedure of the load", false},
   check_foreign_keys = {"The server checks foreign keys where its engine has some", false},
   isolation = {"Isolation level, such as read-committed; none: the server's", ""},
   keying = {"Before each transaction the seconds that a person takes to key it in", false},
   thinking = {"After each transaction the seconds that a person thinks", false},
}))

local KINDS = {"new-order", "payment", "order-status", "delivery", "stock-level"}
local SHARES = {common = {10, 10, 1, 1, 1}, specified = {45, 43, 4, 4, 4}}
local KEYING_S, THINKING_S = {18, 3, 2, 2, 2}, {12, 12, 10, 5, 5}

local transactions -- by the number of their kind

-- Engines without transactions keep what is rolled back, and mix up what several clients write.
local function check_transactions()
   local asked = "SELECT transactions FROM information_schema.engines WHERE engine = '%s'"
   local found = dyno.look_up(asked:format(sysbench.opt.engine))
   draws.has_transactions = found[1] ~= nil and found[1][1] == "YES"
   local is_fit = draws.has_transactions or sysbench.opt.threads == 1
   assert(is_fit, ("orders: %s has no transactions: run one client"):format(sysbench.opt.engine))
end

local LEVELS = {
   ["read-uncommitted"] = true, ["read-committed"] = true, ["repeatable-read"] = true, serializable = true,
}

local function set_isolation(level)
   if level ~= "" then
      assert(LEVELS[level], "orders: no isolation level " .. level)
      dyno.set_up("SET SESSION TRANSACTION ISOLATION LEVEL " .. level:gsub("-", " "))
   end
end

function dyno.prepare()
   check_transactions()
   set_isolation(sysbench.opt.isolation)
   if not sysbench.opt.check_foreign_keys then
      dyno.set_up("SET foreign_key_checks = 0")
   end
   if orders.is_specified() then
      orders.fix_constants()
   end
   transactions = (sysbench.opt.procedures and calls or sql).prepare()
end

local function any_kind()
   local shares = SHARES[sysbench.opt.form]
   local at = orders.between(1, shares[1] + shares[2] + shares[3] + shares[4] + shares[5])
   local kind = 1
   while at > shares[kind] do
      at, kind = at - shares[kind], kind + 1
   end
   return kind
end

-- What a terminal waits for is outside of the latencies of the kinds.
local function draw()
   local opt, kind = sysbench.opt, any_kind()
   if opt.keying or opt.thinking then
      terminal.await(opt.keying and KEYING_S[kind] or 0, opt.thinking and THINKING_S[kind] or 0)
   end
   return kind
end

local is_drawn = false -- the transaction that this client carries out

-- After an error the specified form repeats the transaction with its kind and values, the common one draws both anew.
function event(_, kind)
   if (sysbench.opt.keying or sysbench.opt.thinking) and terminal.is_late() then
      return true
   end
   if not is_drawn then
      draws[kind]()
      is_drawn = orders.is_specified()
   end
   transactions[kind]()
   is_drawn = false
end

local function redraw()
   return not orders.is_specified() and any_kind() or nil
end

kinds.drive(KINDS, draw, redraw)
