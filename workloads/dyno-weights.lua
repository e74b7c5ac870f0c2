-- Blocks of custom SQL: each loop carries out one of them, drawn by its weight. Load it before dyno-sql.lua, which
-- takes the functions that send a statement as they are at that moment.

local dyno = require("dyno")
local kinds = require("dyno-kinds")
local C = require("ffi").C

local weights = {}

local names = {}
local reaches, total = {}, 0 -- of each block: its weight and all before it
local block_of = {} -- each statement, in the order of the file
local chosen -- the block of this loop
local prepared = 0

-- A block: its name, its weight, and how many statements it has.
function weights.block(name, weight, statements)
   names[#names + 1] = name
   total = total + weight
   reaches[#reaches + 1] = total
   for _ = 1, statements do
      block_of[#block_of + 1] = #reaches
   end
end

local bound = dyno.bound

function dyno.bound(text, params)
   local query = bound(text, params)
   prepared = prepared + 1
   query.block = block_of[prepared]
   return query
end

for _, verb in ipairs({"read", "insert", "update", "delete"}) do
   local carry_out = dyno[verb]
   dyno[verb] = function(query)
      if query.block == chosen then
         carry_out(query)
      end
   end
end

local function draw()
   local at = C.sb_rand_uniform_double() * total
   chosen = 1
   while chosen < #reaches and at >= reaches[chosen] do
      chosen = chosen + 1
   end
   return chosen
end

-- Call it after sql.drive.
function weights.drive()
   kinds.drive(names, draw)
end

return weights
