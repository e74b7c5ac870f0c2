-- Purchases at the end of a table, many an INSERT; each client has a table of its own.

local dyno = require("dyno")
local purchases = require("dyno-purchases")

dyno.declare({rows_per_insert = {"Rows of each INSERT", 50}})

local number, rows

function dyno.prepare()
   number, rows = purchases.own_table(), sysbench.opt.rows_per_insert
   purchases.make_room(rows)
end

function event()
   purchases.insert(number, rows)
end
