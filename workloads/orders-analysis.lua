-- Five analytical queries of Dyno's own over the tables of orders, one after the other; each reads whole tables.

local dyno = require("dyno")
local kinds = require("dyno-kinds")

dyno.declare({})

local NAMES = {"revenue", "backlog", "best-sellers", "low-stock", "customers"}
local TEXTS = {
   revenue = "SELECT ol_w_id, ol_d_id, COUNT(*), SUM(ol_amount) FROM order_line WHERE ol_delivery_d IS NOT NULL " ..
      "GROUP BY ol_w_id, ol_d_id",
   backlog = "SELECT no_w_id, no_d_id, COUNT(*), SUM(ol_quantity) FROM new_orders JOIN order_line " ..
      "ON ol_w_id = no_w_id AND ol_d_id = no_d_id AND ol_o_id = no_o_id GROUP BY no_w_id, no_d_id",
   ["best-sellers"] = "SELECT i_id, i_name, SUM(ol_quantity) AS sold FROM order_line JOIN item ON i_id = ol_i_id " ..
      "GROUP BY i_id, i_name ORDER BY sold DESC, i_id LIMIT 10",
   ["low-stock"] = "SELECT s_w_id, COUNT(*), SUM(i_price * s_quantity) FROM stock JOIN item ON i_id = s_i_id " ..
      "WHERE s_quantity < 20 GROUP BY s_w_id",
   customers = "SELECT c_w_id, c_credit, COUNT(*), SUM(o_ol_cnt) FROM customer JOIN orders " ..
      "ON o_w_id = c_w_id AND o_d_id = c_d_id AND o_c_id = c_id GROUP BY c_w_id, c_credit",
}

local queries, latest = {}, 0

-- Each client begins with another query.
function dyno.prepare()
   for number, name in ipairs(NAMES) do
      queries[number] = dyno.statement(TEXTS[name])
   end
   latest = sysbench.tid
end

function event(_, kind)
   dyno.read(queries[kind])
end

kinds.drive(NAMES, function()
   latest = latest % #NAMES + 1
   return latest
end)
