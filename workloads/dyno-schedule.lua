-- The schedule of a rate (open loop): when each event is due, one schedule for all clients of the process. The
-- same seed makes the same schedule, whichever client takes an event. Required after dyno.lua.

local ffi = require("ffi")
local bit = require("bit")
local run = require("dyno-run")
local C = ffi.C

ffi.cdef([[
typedef struct {
  char lock[128];      /* a pthread_mutex_t: all zeros is an unlocked one */
  int begun;
  double due_s;        /* when the next event is due, by the clock of the schedule */
  uint64_t random;
} dyno_schedule;
]])

sysbench.cmdline.options.event_rate = {"Events a second that are asked for; 0: as many as it can", 0}
sysbench.cmdline.options.arrivals = {"Gaps between events: poisson (exponential) or even", "poisson"}

local block = run.shared_block("DYNO_SCHEDULE", "dyno_schedule")
local schedule = {}

-- Seconds between two events, if a second had one.
local function gap()
   if sysbench.opt.arrivals == "even" then
      return 1
   end
   block.random = block.random * 6364136223846793005ULL + 1442695040888963407ULL
   local uniform = tonumber(bit.rshift(block.random, 11)) * 2 ^ -53
   return -math.log(1 - uniform)
end

local function advance()
   block.due_s = block.due_s + gap() / sysbench.opt.event_rate
end

local function begin()
   local seed = sysbench.opt.rand_seed
   block.begun = 1
   block.random = (seed > 0 and seed or os.time()) * 0x9e3779b97f4a7c15ULL
   advance()
end

-- Take the next event if it is due before the deadline; when it is due, else nil. The schedule began at the origin.
function schedule.take(origin_s, deadline_s)
   local due_s
   C.pthread_mutex_lock(block.lock)
   if block.begun == 0 then
      begin()
   end
   if origin_s + block.due_s < deadline_s then
      due_s = origin_s + block.due_s
      advance()
   end
   C.pthread_mutex_unlock(block.lock)
   return due_s
end

-- How far the schedule is behind: the time since the first event was due that no client has begun.
function schedule.behind_s(now_s)
   return block.begun == 1 and math.max(now_s - block.due_s, 0) or 0
end

return schedule
