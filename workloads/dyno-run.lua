-- What the files that replace thread_run share: memory for all clients, the clock, and one event.

local ffi = require("ffi")
local C = ffi.C

local MONOTONIC, ABSOLUTE = 1, 1
local EINTR = 4

-- Names of C are declared anew: a workload may have declared some with other types.
ffi.cdef([[
typedef struct { long s, ns; } dyno_moment;

int dyno_clock(int clock, dyno_moment *moment) __asm__("clock_gettime");
int dyno_sleep(int clock, int flags, const dyno_moment *until, void *rest) __asm__("clock_nanosleep");
int dyno_control(int option, unsigned long value, ...) __asm__("prctl");
]])

local run = {}

-- Memory ------------------------------------------------------------------------------------------

-- A block of a type of C, all zeros at first, that the Lua states of all clients share: its address is in the
-- environment of the process.
function run.shared_block(name, kind)
   local variable = name .. "_" .. C.getpid()
   local address = os.getenv(variable)
   if address == nil then -- the main state, before any thread; 3: to read and write, 0x21: shared, anonymous
      local fresh = C.mmap(nil, ffi.sizeof(kind), 3, 0x21, -1, 0)
      address = string.format("%.0f", tonumber(ffi.cast("intptr_t", fresh)))
      assert(tonumber(address) > 0 and C.setenv(variable, address, 1) == 0, "dyno: cannot set up " .. name)
   end
   return ffi.cast(kind .. " *", ffi.cast("intptr_t", tonumber(address)))
end

-- Carry out an action that no other client may be in; the lock is a pthread_mutex_t.
function run.locked(lock, action, argument)
   C.pthread_mutex_lock(lock)
   local good, answer = pcall(action, argument)
   C.pthread_mutex_unlock(lock)
   assert(good, answer)
   return answer
end

-- The clock ---------------------------------------------------------------------------------------

local moment = ffi.new("dyno_moment")

function run.seconds_of(its_moment)
   return tonumber(its_moment.s) + tonumber(its_moment.ns) * 1e-9
end

-- Seconds of CLOCK_MONOTONIC.
function run.clock()
   C.dyno_clock(MONOTONIC, moment)
   return run.seconds_of(moment)
end

function run.sleep_until(time_s)
   local whole_s = math.floor(time_s)
   moment.s, moment.ns = whole_s, (time_s - whole_s) * 1e9
   while C.dyno_sleep(MONOTONIC, ABSOLUTE, moment, nil) == EINTR do
   end
end

-- Sleeps of this client end when they are to: without it Linux adds 50 us.
function run.sleep_exactly()
   C.dyno_control(29, 1) -- PR_SET_TIMERSLACK, in ns
end

-- Events ------------------------------------------------------------------------------------------

-- As thread_run of sysbench does: an event that failed by an error that is ignored begins again.
function run.carry_out(thread_id)
   local success, answer
   repeat
      success, answer = pcall(event, thread_id)
      if not success then
         if type(answer) ~= "table" or answer.errcode ~= sysbench.error.RESTART_EVENT then
            error(answer, 0)
         elseif sysbench.hooks.before_restart_event then
            sysbench.hooks.before_restart_event(answer)
         end
      end
   until success
   return answer
end

return run
