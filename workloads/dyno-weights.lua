-- Blocks of custom SQL: each loop carries out one of them, drawn by its weight. Load it before dyno-sql.lua, which
-- takes the functions that send a statement as they are at that moment.

local dyno = require("dyno")
local C = require("ffi").C

local weights = {}

local reaches, total = {}, 0 -- of each block: its weight and all before it
local block_of = {} -- each statement, in the order of the file
local chosen -- the block of this loop
local prepared = 0

-- A block: its weight, and how many statements it has.
function weights.block(weight, statements)
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

local function any_block()
   local at = C.sb_rand_uniform_double() * total
   for block = 1, #reaches do
      if at < reaches[block] then
         return block
      end
   end
   return #reaches
end

-- Call it after sql.drive.
function weights.drive()
   local loop = event
   function event(thread_id)
      chosen = chosen or any_block() -- a loop that begins again after an error stays the same
      loop(thread_id)
      chosen = nil
   end
end

return weights
