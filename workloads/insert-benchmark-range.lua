-- Ten purchases from a key on, in the order of one of three indexes, taken at random; the index alone answers.

local dyno = require("dyno")
local purchases = require("dyno-purchases")

dyno.declare({})

local QUERIES = { -- and of how many keys the one that each begins at is drawn
   {"SELECT productid, customerid, price FROM pi%u FORCE INDEX (marketsegment) WHERE productid >= %u" ..
      " ORDER BY productid, customerid, price LIMIT 10", purchases.PRODUCTS},
   {"SELECT cashregisterid, customerid, price FROM pi%u FORCE INDEX (registersegment) WHERE cashregisterid > %u" ..
      " ORDER BY cashregisterid, customerid, price LIMIT 10", purchases.CASH_REGISTERS},
   {"SELECT price, dateandtime, customerid FROM pi%u FORCE INDEX (pdc) WHERE price >= %u" ..
      " ORDER BY price, dateandtime, customerid LIMIT 10", purchases.PRICES},
}

local number

function dyno.prepare()
   number = purchases.own_table()
end

function event()
   local text, keys = unpack(QUERIES[purchases.any_of(#QUERIES) + 1])
   purchases.read(text:format(number, purchases.any_of(keys)))
end
