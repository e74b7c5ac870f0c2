-- The tables of the insert benchmark: pi1, pi2, ... with a row for each purchase, its keys uniform. A client keeps
-- to one of them. All statements are sent as text, and each is a transaction.

local ffi = require("ffi")
local bit = require("bit")
local dyno = require("dyno")
local C = ffi.C

local purchases = {CASH_REGISTERS = 1000, CUSTOMERS = 100000, PRODUCTS = 10000, PRICES = 500}

-- The number of the table that this client keeps to.
function purchases.own_table()
   return sysbench.tid % sysbench.opt.tables + 1
end

-- A number from 0, all equally likely, of so many.
function purchases.any_of(many)
   return C.sb_rand_uniform(0, many - 1)
end

-- Statements --------------------------------------------------------------------------------------

local result -- of the latest statement: the same place for all of them

-- The lowest (MIN) or the highest (MAX) key of a table, 0 where it has no row. Call it before the first DELETE; it is
-- none of the workload's statements.
function purchases.key(which, number)
   result = dyno.connection:query(("SELECT %s(transactionid) FROM pi%u"):format(which, number))
   local key = tonumber(result:fetch_row()[1]) or 0
   result:free()
   dyno.counts.setup_reads = dyno.counts.setup_reads + 1
   return key
end

-- Send a SELECT, and read all its rows.
function purchases.read(text)
   result = dyno.connection:query(text)
   dyno.counts.read = dyno.counts.read + result.nrows
   result:free()
end

-- Send a DELETE; how many rows it has found.
function purchases.delete(text)
   result.nrows = 0 -- where none is found, sysbench leaves what is there
   dyno.connection:query(text)
   dyno.counts.deleted = dyno.counts.deleted + result.nrows
   return result.nrows
end

-- INSERT ------------------------------------------------------------------------------------------

local LEAST, MOST = 10, 20 -- characters of column data
local NOISE = 0.375 -- of them: the others are all the same, so that a page compresses
local COLUMNS = "dateandtime,cashregisterid,customerid,productid,price,data"
local ROW = 80 -- bytes that a row takes in the text, at most
local BASE64 = ffi.new("char[65]", "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
local COMMA, LETTER_A, ZERO = (","):byte(), ("a"):byte(), ("0"):byte()

local text -- of the INSERT

-- Call it before the first INSERT, with the most rows of one.
function purchases.make_room(rows)
   text = ffi.new("char[?]", 128 + ROW * rows)
end

-- These put something into the text, and return its new length.

local function put(length, piece)
   ffi.copy(text + length, piece, #piece)
   return length + #piece
end

local function put_number(length, number)
   local last, rest = length, number
   while rest >= 10 do
      last, rest = last + 1, rest / 10
   end
   for at = last, length, -1 do
      text[at] = ZERO + number % 10
      number = (number - number % 10) / 10
   end
   text[last + 1] = COMMA
   return last + 2
end

-- Five of 64 characters in one draw of 30 bits.
local function put_noise(length, size)
   for from = 0, size - 1, 5 do
      local bits = C.sb_rand_uniform(0, 1073741823)
      for at = from, math.min(from + 4, size - 1) do
         text[length + at] = BASE64[bit.band(bits, 63)]
         bits = bit.rshift(bits, 6)
      end
   end
   return length + size
end

local function put_data(length)
   local size = LEAST + purchases.any_of(MOST - LEAST + 1)
   local noise = math.floor(size * NOISE)
   ffi.fill(text + length, size - noise, LETTER_A)
   return put_noise(length + size - noise, noise)
end

local function put_row(length, moment)
   length = put(length, moment)
   length = put_number(length, purchases.any_of(purchases.CASH_REGISTERS))
   length = put_number(length, purchases.any_of(purchases.CUSTOMERS))
   length = put_number(length, purchases.any_of(purchases.PRODUCTS))
   length = put_number(length, purchases.any_of(purchases.PRICES))
   return put(put_data(put(length - 1, ".00,'")), "'),") -- a price has two decimals
end

-- Add so many rows to a table, with one INSERT.
function purchases.insert(number, rows)
   local moment = os.date("('%Y-%m-%d %H:%M:%S',")
   local length = put(0, ("INSERT INTO pi%u (%s) VALUES "):format(number, COLUMNS))
   for _ = 1, rows do
      length = put_row(length, moment)
   end
   dyno.insert_text(text, length - 1) -- without the last comma
end

return purchases
