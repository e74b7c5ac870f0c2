-- One row at the end of a table, its key by AUTO_INCREMENT; sent as text, as oltp_insert.lua of sysbench does.

local ffi = require("ffi")
local dyno = require("dyno")

dyno.declare({})

local text = ffi.new("char[320]") -- the names and a row: 119 and 59 characters, two numbers

local function put(length, piece)
   ffi.copy(text + length, piece, #piece)
   return length + #piece
end

function dyno.prepare()
end

function event()
   local into = "INSERT INTO sbtest%u (k, c, pad) VALUES (%d, '"
   local length = put(0, into:format(dyno.any_table(), dyno.any_id()))
   dyno.random_c(text + length)
   length = put(length + 119, "', '")
   dyno.random_pad(text + length)
   dyno.insert_text(text, put(length + 59, "')"))
end
