-- A client as a person at a terminal: before each transaction some seconds to key it in, after it some to think about
-- what came of it. Both end with the time of the step.

local run = require("dyno-run")
local C = require("ffi").C

local terminal = {}

local end_s -- of the step, on the clock
local thinks_s = 0 -- after the latest transaction, on average

-- Exponential, of at most ten times its mean.
local function drawn(mean_s)
   return math.min(-math.log(1 - C.sb_rand_uniform_double()), 10) * mean_s
end

-- Wait as long as it takes to think about the latest transaction, and to key in the next one.
function terminal.await(keys_s, next_thinks_s)
   if not end_s then
      end_s = sysbench.opt.time > 0 and run.clock() + sysbench.opt.time or math.huge
   end
   local waits_s = drawn(thinks_s) + keys_s
   thinks_s = next_thinks_s
   if waits_s > 0 then
      run.sleep_until(math.min(run.clock() + waits_s, end_s))
   end
end

-- Whether the step ended meanwhile.
function terminal.is_late()
   return run.clock() >= end_s
end

return terminal
