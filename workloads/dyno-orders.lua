-- What loads and drives the tables of orders share: their sizes, and the draws, names and texts in two forms. `common`
-- has the faults of the workload as it is commonly run, `specified` has none: docs/developers/orders.md.

local ffi = require("ffi")
local bit = require("bit")
local dyno = require("dyno")
local C = ffi.C

local orders = {DISTRICTS = 10} -- of a warehouse

-- Options that the load and the drives have.
function orders.options(more)
   more.form = {"common: with the faults of the field's usual workload; specified: without", "common"}
   return more
end

function orders.is_specified()
   local form = sysbench.opt.form
   assert(form == "common" or form == "specified", "dyno: form is common or specified, not " .. form)
   return form == "specified"
end

-- Sizes -------------------------------------------------------------------------------------------

local LAST_NAMES = 1000

-- Customers of a district, and its orders at first: 3,000 with 100,000 items.
function orders.customers()
   return math.max(1, math.floor(sysbench.opt.table_size * 3 / 100))
end

-- Orders of a district that are delivered at first: 2,100 of 3,000.
function orders.delivered()
   return math.floor(orders.customers() * 7 / 10)
end

-- Different last names: each is that of one customer at least.
function orders.last_names()
   return math.min(LAST_NAMES, orders.customers())
end

-- Draws -------------------------------------------------------------------------------------------

-- A whole number from low to high, all equally likely.
function orders.between(low, high)
   return tonumber(C.sb_rand_uniform(low, high))
end

function orders.by_chance(percent)
   return C.sb_rand_uniform_double() * 100 < percent
end

local between = orders.between
local NAMES, CUSTOMERS, ITEMS = 255, 1023, 8191 -- the A of NURand
local STREAM = 65535 -- no client and no warehouse has it
local LOADED = 123 -- the constant of the last names at the load; those of runs are 65 to 119 apart
local constants = {} -- of NURand, by A; none: drawn anew each time, which makes it nearly uniform

-- NURand of the specification: numbers from low to high, some of them often.
local function nurand(a, low, high)
   local constant = constants[a] or between(0, a)
   return (bit.bor(between(0, a), between(low, high)) + constant) % (high - low + 1) + low
end

-- A constant of last names: the specification forbids some distances from that of the load.
local function constant_of_names()
   local apart
   repeat
      apart = between(65, 119)
   until apart ~= 96 and apart ~= 112
   return between(0, 1) == 0 and LOADED + apart or LOADED - apart
end

-- Draw the constants of a run from its seed: the same for all clients.
function orders.fix_constants()
   dyno.seed(STREAM)
   constants[CUSTOMERS], constants[ITEMS] = between(0, CUSTOMERS), between(0, ITEMS)
   constants[NAMES] = constant_of_names()
end

function orders.fix_constants_of_load()
   constants[NAMES] = LOADED
end

function orders.any_customer()
   return nurand(CUSTOMERS, 1, orders.customers())
end

function orders.any_item()
   return nurand(ITEMS, 1, sysbench.opt.table_size)
end

local SYLLABLES = {[0] = "BAR", "OUGHT", "ABLE", "PRI", "PRES", "ESE", "ANTI", "CALLY", "ATION", "EING"}

-- The last name with a number from 0 to 999: a syllable for each digit.
function orders.last_name(number)
   local hundreds, tens = math.floor(number / 100), math.floor(number / 10) % 10
   return SYLLABLES[hundreds] .. SYLLABLES[tens] .. SYLLABLES[number % 10]
end

function orders.any_last_name()
   return orders.last_name(nurand(NAMES, 0, orders.last_names() - 1))
end

-- Texts -------------------------------------------------------------------------------------------

local LETTERS = ffi.new("char[64]", "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")

-- So many random characters: five of 64 in one draw of 30 bits.
function orders.put_random(place, length)
   for from = 0, length - 1, 5 do
      local bits = C.sb_rand_uniform(0, 1073741823)
      for at = from, math.min(from + 4, length - 1) do
         place[at] = LETTERS[bit.band(bits, 63)]
         bits = bit.rshift(bits, 6)
      end
   end
end

-- One letter so many times.
function orders.put_letter(place, length)
   ffi.fill(place, length, LETTERS[between(0, 51)])
end

return orders
