-- The line "figure": how long something took whose time is a figure of its own.

local ffi = require("ffi")
require("dyno")
local run = require("dyno-run")

local timed = {}

local block = run.shared_block("DYNO_BLOCK", "dyno_block") -- its lock: no two threads write a line at once

local function write(line)
   ffi.C.write(sysbench.opt.report_fd, line, #line)
end

-- Carry out an action, and tell how long it took; its answer.
function timed.carry_out(name, action, ...)
   local began_s = run.clock()
   local answer = action(...)
   local took_ms = (run.clock() - began_s) * 1000
   if not sysbench.opt.gate_fd then -- in slices a step has no such figure
      run.locked(block.lock, write, ('{"type":"figure","name":"%s","value":%.6g}\n'):format(name, took_ms))
   end
   return answer
end

return timed
