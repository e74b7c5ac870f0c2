-- Keys of custom SQL that are not all equally likely: low ones more often (Zipf's law), or high ones (latest).
--
-- dyno-sql.lua draws a member of a list, and adds what each place that takes it has for an offset. Here the only
-- member is a law, and adding to it draws: once a loop, for the first of its places.

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

return keys
