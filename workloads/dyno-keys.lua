-- Keys of custom SQL that are not all equally likely: low ones more often (Zipf's law), or high ones (latest).
--
-- dyno-sql.lua draws a member of a list, and adds what each place that takes it has for an offset. Here the only
-- member is a law, and adding to it draws: once a loop, for the first of its places. Load it before the other files
-- of custom SQL: they take the functions that send a statement as they are at that moment.

local dyno = require("dyno")
local zipf = require("dyno-zipf")

local keys = {}

local law = {}
law.__index = law

local function number(value)
   return type(value) == "table" and sysbench.opt.table_size + value.rows or value
end

function law:begin()
   self.low, self.high = number(self.low), number(self.high)
   self.rank = zipf.drawn(math.max(self.high - self.low + 1, 1), self.exponent)
end

function law:__add(offset)
   if self.first == nil then
      self:begin()
      self.first = offset
   end
   if offset == self.first then -- no other place has it
      self.value = self:draw(self.rank() - 1)
   end
   return self.value + offset
end

local function made(low, high, exponent, draw)
   return setmetatable({low = low, high = high, exponent = exponent, draw = draw}, law)
end

-- From low to high: low the most often.
function keys.zipf(low, high, exponent)
   return made(low, high, exponent, function(self, rank) return self.low + rank end)
end

-- From low to high: high the most often.
function keys.latest(low, high, exponent)
   return made(low, high, exponent, function(self, rank) return self.high - rank end)
end

-- What is inserted ----------------------------------------------------------------------------------

local rising = {} -- by name
local client -- its number

-- Rising numbers, each client its own, the next one once a row with the last one is inserted.
function keys.rising(name, low, high)
   rising[name] = made(low, high, 1, function(self)
      return self.low + (self.inserted * sysbench.opt.threads + client) % (self.high - self.low + 1)
   end)
   rising[name].inserted = 0
   return rising[name]
end

-- What this client has inserted, the newest the most often, and below that the numbers from low to the first of them.
function keys.newest(name, low, exponent)
   local above = rising[name]
   local first = above.low
   local high = type(first) == "table" and {rows = first.rows - 1} or first - 1
   return made(low, high, exponent, function(self, rank)
      if rank < above.inserted then
         return self.high + 1 + (above.inserted - 1 - rank) * sysbench.opt.threads + client
      end
      return self.high - (rank - above.inserted)
   end)
end

-- The text of an INSERT that takes rising numbers.
function keys.inserting(text, name)
   return {text = text, name = name}
end

local bound = dyno.bound

function dyno.bound(text, params)
   client = sysbench.tid
   if type(text) ~= "table" then
      return bound(text, params)
   end
   local query = bound(text.text, params)
   query.rising = rising[text.name]
   return query
end

local insert = dyno.insert

function dyno.insert(query)
   insert(query)
   local its = query.rising
   if its and its.last ~= its.value then -- two tables may get the same number
      its.inserted, its.last = its.inserted + 1, its.value
   end
end

return keys
