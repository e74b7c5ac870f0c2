-- A transaction that has read one purchase and stays open for some seconds, again and again: what is deleted
-- meanwhile cannot be purged. An event is a second of it.

local ffi = require("ffi")
local dyno = require("dyno")
local purchases = require("dyno-purchases")

dyno.declare({open_s = {"Seconds that a transaction stays open", 60}})

ffi.cdef('unsigned int dyno_sleep_s(unsigned int seconds) __asm__("sleep");')

local query
local left_s = 0 -- of the transaction; 0: there is none

local function control(statement)
   dyno.connection:query(statement)
   dyno.counts.control = dyno.counts.control + 1
end

function dyno.prepare()
   query = ("SELECT * FROM pi%u LIMIT 1"):format(purchases.own_table())
end

function event()
   if left_s == 0 then
      control("BEGIN")
      purchases.read(query)
      left_s = sysbench.opt.open_s
   end
   ffi.C.dyno_sleep_s(1)
   left_s = left_s - 1
   if left_s == 0 then
      control("COMMIT")
   end
end
