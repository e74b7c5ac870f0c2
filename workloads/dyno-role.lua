-- One of the roles of a step: several sysbench 1.0.20 at once, each started with this file in place of the one that
-- DYNO_ROLE names without .lua (dyno-rate or the workload's). README.md describes the memory that they share.
--
-- A client goes on until its role has done its part, or the step is over. One that follows another role, client by
-- client, does its next statement once the other has the answer to its own of that number.

local ffi = require("ffi")

local loaded = assert(os.getenv("DYNO_ROLE"), "dyno: DYNO_ROLE names no file")
dofile(loaded .. ".lua") -- of this folder; in require a dot of its name would be another one

local dyno = require("dyno")
local figures = require("dyno-figures")
local run = require("dyno-run")
local C = ffi.C

local FUTEX = assert(({x64 = 202, arm64 = 98})[ffi.arch], "dyno: no roles on this CPU") -- a system call
local WAIT, WAKE, ALL = 0, 1, 2147483647
local LATE_S = 0.1 -- of a second that begins where it does, not where the one before ended
local LOOK_S = 0.1 -- the longest wait for another role before the clock is looked at

ffi.cdef([[
typedef struct {
  uint32_t is_over;                       /* the step is: set by the agent */
  uint32_t count[8][4096];                /* statements that were answered, by role and client */
  uint32_t has_ended[8][4096];
} dyno_roles;

void *dyno_map(void *at, size_t length, int access, int flags, int fd, long offset) __asm__("mmap");
long dyno_wait(long call, void *word, long action, long value, const void *time, void *other, long bits)
   __asm__("syscall");
]])

local options = sysbench.cmdline.options
options.roles_fd = {"File descriptor of the memory that the roles of a step share; -1: none", -1}
options.role = {"The number of this role in it", 0}
options.follows = {"The number of the role that this one follows; -1: none", -1}
options.leads = {"The number of the role that follows this one; -1: none", -1}
options.apart = {"The most statements that one may be ahead of the other", 1}
options.each_second = {"Events a second of all clients, done at once; 0: as many as there can be", 0}

-- Shared memory -----------------------------------------------------------------------------------

local shared -- set when a client begins

local function map()
   if sysbench.opt.roles_fd < 0 then
      return ffi.new("dyno_roles") -- alone: nobody ends it, nobody follows
   end
   local place = C.dyno_map(nil, ffi.sizeof("dyno_roles"), 3, 1, sysbench.opt.roles_fd, 0) -- to read and write, shared
   assert(ffi.cast("intptr_t", place) ~= -1, "dyno: the memory of the roles cannot be mapped")
   return ffi.cast("dyno_roles *", place)
end

local moment = ffi.new("dyno_moment")

-- Sleep while a word has this value, at most so long.
local function sleep_while(word, value, seconds)
   if seconds <= 0 then
      return
   end
   local whole_s = math.floor(seconds)
   moment.s, moment.ns = whole_s, (seconds - whole_s) * 1e9
   C.dyno_wait(FUTEX, word, WAIT, value, moment, nil, 0)
end

local function wake(word)
   C.dyno_wait(FUTEX, word, WAKE, ALL, nil, nil, 0)
end

-- Until a moment of the clock, or until the step is over. dyno-rate.lua sleeps by it too.
function run.sleep_until(time_s)
   local left_s = time_s - run.clock()
   while left_s > 0 and shared.is_over == 0 do
      sleep_while(shared, 0, left_s) -- `is_over` is its first word
      left_s = time_s - run.clock()
   end
end

-- Whose turn it is --------------------------------------------------------------------------------

local client -- its number

-- Wait until the role that this one follows is ahead; false where that has ended, and nothing is left.
local function await_leader()
   local leader, own = sysbench.opt.follows, sysbench.opt.role
   while shared.count[leader][client] == shared.count[own][client] do
      if shared.has_ended[leader][client] == 1 then
         return shared.count[leader][client] ~= shared.count[own][client]
      end
      sleep_while(shared.count[leader] + client, shared.count[own][client], LOOK_S)
   end
   return true
end

-- Wait until the role that follows this one is near; false where the step is over meanwhile.
local function await_follower()
   local follower, own = sysbench.opt.leads, sysbench.opt.role
   while shared.is_over == 0 do
      local done = shared.count[follower][client]
      if shared.count[own][client] < done + sysbench.opt.apart or shared.has_ended[follower][client] == 1 then
         return true
      end
      sleep_while(shared.count[follower] + client, done, LOOK_S)
   end
   return false
end

-- Wait until this client may send its next statement; false where it is done.
local function may_go_on()
   if sysbench.opt.follows >= 0 then
      return await_leader()
   end
   if shared.is_over == 1 then
      return false
   end
   return sysbench.opt.leads < 0 or await_follower()
end

local function count()
   local place = shared.count[sysbench.opt.role] + client
   place[0] = place[0] + 1
   wake(place)
end

local function finish()
   shared.has_ended[sysbench.opt.role][client] = 1
   wake(shared.count[sysbench.opt.role] + client)
end

-- Begin and end of a client -----------------------------------------------------------------------

local init_thread, done_thread = thread_init, thread_done

-- The connection of this client, by which the agent finds the server's thread that serves it.
local function tell_connection()
   if dyno.connection then -- else the server has refused it
      local id = dyno.look_up("SELECT CONNECTION_ID()")[1][1]
      local line = string.format('{"type":"connection","id":%d}\n', tonumber(id))
      assert(tonumber(C.write(sysbench.opt.report_fd, line, #line)) == #line, "dyno: nobody reads the lines")
   end
end

function thread_init()
   shared, client = map(), sysbench.tid
   init_thread()
   if sysbench.opt.roles_fd >= 0 then
      tell_connection()
   end
end

function thread_done()
   finish()
   done_thread()
end

-- Events ------------------------------------------------------------------------------------------

-- Sleep to the end of each second once its part of the rate is done. Returns what to call before each event.
local function pace()
   local of_second = math.ceil(sysbench.opt.each_second / sysbench.opt.threads)
   local left, second_s = of_second, run.clock()
   return function()
      if of_second > 0 and left == 0 then
         run.sleep_until(second_s + 1)
         local is_late = run.clock() - second_s - 1 > LATE_S
         left, second_s = of_second, is_late and run.clock() or second_s + 1
      end
      left = left - 1
   end
end

local function carry_out(thread_id)
   C.sb_event_start(thread_id)
   local has_ended = run.carry_out(thread_id)
   C.sb_event_stop(thread_id)
   return has_ended
end

local function run_unscheduled(thread_id)
   if figures.counts.clients == 0 then
      return -- the server has refused it
   end
   local await_second = pace()
   repeat
      await_second()
      if not may_go_on() or not C.sb_more_events(thread_id) or carry_out(thread_id) then
         return
      end
      count()
   until false
end

-- At a rate dyno-rate.lua says when an event is due; its latency counts from there, so all waits are in it.
local function turn_into_event()
   local event_of_workload = event
   function event(thread_id)
      if not may_go_on() then
         return true
      end
      local has_ended = event_of_workload(thread_id)
      if not has_ended then
         count()
      end
      return has_ended
   end
end

if loaded == "dyno-rate" then
   local init = thread_init
   function thread_init()
      init()
      turn_into_event()
   end
else
   thread_run = run_unscheduled
end
