-- The oldest purchases of a table deleted, many a DELETE; each client has a table of its own. The lowest key is
-- counted on, and asked for at the start and every 1,000 statements: the time of that is a figure of its own.

local dyno = require("dyno")
local purchases = require("dyno-purchases")
local timed = require("dyno-timed")

dyno.declare({rows_per_delete = {"Rows of each DELETE", 50}})

local DELETE = "DELETE FROM pi%u WHERE transactionid >= %.0f ORDER BY transactionid ASC LIMIT %u"
local ASKED_EVERY = 1000

local number, lowest, sent

local function ask()
   lowest, sent = timed.carry_out("select_min_ms", purchases.key, "MIN", number), 0
end

function dyno.prepare()
   number = purchases.own_table()
   ask()
end

function event()
   if sent == ASKED_EVERY then
      ask()
   end
   lowest = lowest + purchases.delete(DELETE:format(number, lowest, sysbench.opt.rows_per_delete))
   sent = sent + 1
end
