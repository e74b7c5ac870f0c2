-- A workload at a rate: sysbench 1.0.20 is started with this file in place of the workload's, which
-- DYNO_WORKLOAD names without .lua. sysbench's own --rate polls its queue, and ends when that is full.
--
-- A client takes the next event of the schedule, sleeps until it is due, and carries it out. A latency counts from
-- the moment the event was due, so it includes the wait for a client. README.md describes the line.

local ffi = require("ffi")

local workload = assert(os.getenv("DYNO_WORKLOAD"), "dyno: DYNO_WORKLOAD names no workload")
dofile(workload .. ".lua") -- of this folder; in require a dot of its name would be another one

local figures = require("dyno-figures")
local run = require("dyno-run")
local schedule = require("dyno-schedule")
local C = ffi.C

local EVENTS = 3 -- the number of sysbench's counter

ffi.cdef([[
typedef struct {               /* latencies since the latest total of sysbench */
  char lock[128];              /* a pthread_mutex_t */
  double count, least_s, most_s, sum_s;
} dyno_latencies;

extern dyno_moment sb_exec_timer; /* when the clients began: it is the first of its fields */
void sb_counter_inc(int thread_id, int type);
void dyno_add_latency(dyno_histogram *histogram, double value_ms) __asm__("sb_histogram_update");
]])

local latencies = run.shared_block("DYNO_LATENCIES", "dyno_latencies")

-- When the clients began, and when the last event is to begin.
local function bounds()
   local began_s, limit_s = run.seconds_of(C.sb_exec_timer), sysbench.opt.time
   return began_s, limit_s > 0 and began_s + limit_s or math.huge
end

-- Latencies ---------------------------------------------------------------------------------------

local function add(latency_s)
   local is_first = latencies.count == 0
   latencies.count = latencies.count + 1
   latencies.sum_s = latencies.sum_s + latency_s
   latencies.least_s = is_first and latency_s or math.min(latencies.least_s, latency_s)
   latencies.most_s = math.max(latencies.most_s, latency_s)
end

-- As sb_event_stop does, whose clock starts when an event begins.
local function record(thread_id, latency_s)
   C.dyno_add_latency(C.sb_latency_histogram, latency_s * 1000)
   C.sb_counter_inc(thread_id, EVENTS)
   run.locked(latencies.lock, add, latency_s)
end

-- Put the latencies where sysbench has those of its own clock, and begin anew.
local function put_into(stat)
   stat.latency_min, stat.latency_max = latencies.least_s, latencies.most_s
   stat.latency_avg = latencies.sum_s / math.max(latencies.count, 1)
   latencies.count, latencies.least_s, latencies.most_s, latencies.sum_s = 0, 0, 0, 0
end

local report = sysbench.hooks.report_cumulative

function sysbench.hooks.report_cumulative(stat)
   local began_s, end_s = bounds()
   run.locked(latencies.lock, put_into, stat)
   figures.write_schedule(schedule.behind_s(math.min(run.clock(), end_s) - began_s))
   report(stat)
end

-- Events ------------------------------------------------------------------------------------------

-- Wait until an event is due, and carry it out. False where this client has nothing more to do.
local function carry_out(thread_id, due_s)
   if not C.sb_more_events(thread_id) then
      return false
   end
   if run.clock() < due_s then
      run.sleep_until(due_s)
   end
   if run.carry_out(thread_id) then
      return false
   end
   record(thread_id, run.clock() - due_s)
   return true
end

function thread_run(thread_id)
   if figures.counts.clients == 0 then
      return -- the server has refused it
   end
   run.sleep_exactly()
   local began_s, end_s = bounds()
   local due_s = schedule.take(began_s, end_s)
   while due_s and carry_out(thread_id, due_s) do
      due_s = schedule.take(began_s, end_s)
   end
end
