-- A workload beside an operation (kill, restart): sysbench 1.0.20 loads this file in place of the workload's, which
-- DYNO_RECONNECTED names without .lua. A client that loses its connection connects anew, prepares again, and
-- carries out its event again: the latency of that event has all of the time in which there was no answer.

local ffi = require("ffi")

local dyno = require("dyno")
local init_of_all, done_of_all = thread_init, thread_done

local workload = assert(os.getenv("DYNO_RECONNECTED"), "dyno: DYNO_RECONNECTED names no workload")
local load = assert(loadfile(workload .. ".lua")) -- of this folder; require takes a dot for another one
load()

local figures = require("dyno-figures")
local run = require("dyno-run")
local C = ffi.C

local PAUSE_S = 0.05 -- between two tries to connect
local RECONNECTS = 5 -- the number of sysbench's counter

ffi.cdef([[
extern dyno_moment dyno_began __asm__("sb_exec_timer"); /* when the clients began: it is the first of its fields */
void dyno_count(int thread_id, int type) __asm__("sb_counter_inc");
]])

local init_of_workload, event_of_workload = thread_init, nil -- the second may be chosen by the first
local lost = {} -- connections: what was prepared on one may not live longer than it
local seed_part = 0

local function is_over()
   return sysbench.opt.time > 0 and run.clock() >= run.seconds_of(C.dyno_began) + sysbench.opt.time
end

local function is_lost(problem)
   return tostring(problem):find("errno = 2013") or tostring(problem):find("errno = 2006")
end

-- After any other error: whether the connection still answers. Where sysbench has seen its end before, it answers nil.
local function is_connected()
   local good, answer = pcall(dyno.connection.query, dyno.connection, "SELECT 1")
   return good and answer ~= nil
end

-- Load the workload anew, as it holds statements of the lost connection, connect, and prepare again.
local function try()
   local of_others = {event, thread_init, thread_done}
   thread_init, thread_done = init_of_all, done_of_all
   load()
   figures.counts.clients = 0
   local is_there = pcall(thread_init) and figures.counts.clients == 1
   if is_there then
      event_of_workload = event
   end
   event, thread_init, thread_done = unpack(of_others)
   if is_there and dyno.is_open() then
      is_there = pcall(sysbench.hooks.before_restart_event, {}) -- its transaction is gone: {}, as after an error
   end
   return is_there
end

-- Try until the server takes this client; false where the step is over before: it then sleeps no more.
local function connect_anew(thread_id)
   lost[#lost + 1] = dyno.connection
   repeat
      local until_s = run.clock() + PAUSE_S
      run.sleep_until(until_s)
      if is_over() or run.clock() < until_s then
         return false
      end
   until try()
   C.dyno_count(thread_id, RECONNECTS)
   seed_part = seed_part + 1
   dyno.seed(sysbench.tid, seed_part) -- else it would draw the keys of the begin again
   return true
end

local function is_to_begin_again(problem)
   return type(problem) == "table" and problem.errcode == sysbench.error.RESTART_EVENT
end

local function carry_out(thread_id)
   local good, answer = pcall(event_of_workload, thread_id)
   while not good do
      if is_to_begin_again(answer) or not is_lost(answer) and is_connected() then
         error(answer, 0)
      end
      if not connect_anew(thread_id) then
         return true
      end
      good, answer = pcall(event_of_workload, thread_id)
   end
   return answer
end

function thread_init()
   init_of_workload()
   if figures.counts.clients == 1 then -- else the server has refused it
      event_of_workload, event = event, carry_out
   end
end
