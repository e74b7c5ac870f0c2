-- The line "figure": how long something took whose time is a figure of its own.

local ffi = require("ffi")
require("dyno-figures")
local C = ffi.C

local MONOTONIC = 1

ffi.cdef('int dyno_time(int clock, int64_t *s_and_ns) __asm__("clock_gettime");')

local timed = {}

-- The block of dyno-figures.lua: while its lock is held no other thread writes a line.
local address = assert(os.getenv("DYNO_BLOCK_" .. C.getpid()))
local block = ffi.cast("dyno_block *", ffi.cast("intptr_t", tonumber(address)))

local now = ffi.new("int64_t[2]")

local function clock_ms()
   C.dyno_time(MONOTONIC, now)
   return tonumber(now[0]) * 1000 + tonumber(now[1]) / 1e6
end

local function tell(name, value)
   local line = ('{"type":"figure","name":"%s","value":%.6g}\n'):format(name, value)
   C.pthread_mutex_lock(block.lock)
   C.write(sysbench.opt.report_fd, line, #line)
   C.pthread_mutex_unlock(block.lock)
end

-- Carry out an action, and tell how many ms it took; its answer.
function timed.carry_out(name, action, ...)
   local began_ms = clock_ms()
   local answer = action(...)
   local took_ms = clock_ms() - began_ms
   if not sysbench.opt.gate_fd then -- in slices and counts a step has no such figure
      tell(name, took_ms)
   end
   return answer
end

return timed
