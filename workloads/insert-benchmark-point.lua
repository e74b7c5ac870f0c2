-- Ten purchases by their primary key, with one statement. Keys are drawn from the lowest to the highest at the
-- start. The highest is asked for again every 100 statements; the lowest is taken to have moved as far, as a deleter
-- keeps the number of rows.

local dyno = require("dyno")
local purchases = require("dyno-purchases")

dyno.declare({})

local QUERY = "SELECT transactionid, productid, data FROM pi%u WHERE transactionid IN (%s)"
local POINTS, ASKED_EVERY = 10, 100

local number, highest, span, sent
local keys = {}

function dyno.prepare()
   number = purchases.own_table()
   highest, sent = purchases.key("MAX", number), 0
   span = highest - purchases.key("MIN", number) + 1
end

function event()
   if sent == ASKED_EVERY then
      highest, sent = purchases.key("MAX", number), 0
   end
   for i = 1, POINTS do
      keys[i] = ("%.0f"):format(highest - purchases.any_of(span))
   end
   purchases.read(QUERY:format(number, table.concat(keys, ",")))
   sent = sent + 1
end
