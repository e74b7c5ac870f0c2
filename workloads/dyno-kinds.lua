-- Kinds of events: each event of a workload is one of several transactions, drawn anew, and each of them is counted
-- apart. README.md describes the line. Only workloads with kinds load it, after dyno.lua.

local ffi = require("ffi")
local dyno = require("dyno")
local figures = require("dyno-figures")
local run = require("dyno-run")
local C = ffi.C

local MOST = 20 -- kinds
local STRIPES = 16 -- clients share their counts with each 16th of them
local BUCKETS = 1024
local EINTR, SIGPIPE = 4, 13
-- the counts of a kind; the first six are those of sysbench, whose numbers these are
local COUNTS = {"events", "reads", "writes", "other", "errors", "reconnects", "control",
   "read", "inserted", "updated", "deleted", "rolled_back"}
local SYSBENCH = {3, 1, 2, 0, 4, 5}
local ROWS = 7 -- the first of the rows
local SUM, BUCKET, VALUES = #COUNTS, #COUNTS + 1, #COUNTS + 1 + BUCKETS

ffi.cdef([[
typedef struct { double value[1037]; } dyno_kind;      /* COUNTS, the sum of latencies in ms, buckets */
typedef struct {
  char lock[128];                                      /* a pthread_mutex_t */
  dyno_kind kind[20];
  double least_ms[20], most_ms[20];                    /* since the warm-up */
} dyno_kinds_stripe;
typedef struct {
  char lock[128];                                      /* of all that follows but the stripes */
  dyno_kind running[20], shown[20], start[20];         /* as in dyno_block, at the same moments */
  dyno_kinds_stripe stripe[16];
} dyno_kinds;

uint64_t sb_counter_val(int thread_id, int type);
]])
assert(ffi.sizeof("dyno_kind") == 8 * VALUES)

local kinds = {}
local names = {}
local shared = run.shared_block("DYNO_KINDS", "dyno_kinds")

-- The block of dyno-figures.lua: while its lock is held no other thread writes a line.
local block = ffi.cast("dyno_block *", ffi.cast("intptr_t", tonumber(os.getenv("DYNO_BLOCK_" .. C.getpid()))))

-- Counting, by clients ----------------------------------------------------------------------------

local LOWEST = math.log(0.001)
local A_BUCKET = (BUCKETS - 1) / (math.log(100000) - LOWEST)

local function bucket_of(ms)
   local i = math.floor((math.log(ms) - LOWEST) * A_BUCKET + 0.5)
   return math.min(math.max(i, 0), BUCKETS - 1)
end

local own = shared.stripe[sysbench.tid % STRIPES]
local seen, now = ffi.new("double[12]"), ffi.new("double[12]") -- of this client: at its latest event, and now
local rolled_back = 0

local function look(thread_id)
   for i, counter in ipairs(SYSBENCH) do
      now[i - 1] = tonumber(C.sb_counter_val(thread_id, counter))
   end
   for i = #SYSBENCH + 1, #COUNTS - 1 do
      now[i - 1] = figures.counts[COUNTS[i]]
   end
   now[#COUNTS - 1] = rolled_back
end

local function add(kind, ms)
   local value, is_first = own.kind[kind].value, own.most_ms[kind] == 0
   value[0] = value[0] + 1
   for i = 1, #COUNTS - 1 do
      value[i] = value[i] + now[i] - seen[i]
   end
   local bucket = BUCKET + bucket_of(ms)
   value[SUM], value[bucket] = value[SUM] + ms, value[bucket] + 1
   own.least_ms[kind] = is_first and ms or math.min(own.least_ms[kind], ms)
   own.most_ms[kind] = math.max(own.most_ms[kind], ms)
end

local function count(thread_id, kind, seconds)
   look(thread_id)
   C.pthread_mutex_lock(own.lock)
   add(kind, math.max(seconds * 1000, 1e-6))
   C.pthread_mutex_unlock(own.lock)
   ffi.copy(seen, now, ffi.sizeof(seen))
end

-- Reporting ---------------------------------------------------------------------------------------

-- What all clients have counted so far.
local function take(into, is_start)
   ffi.fill(into, ffi.sizeof("dyno_kind") * MOST)
   for at = 0, math.min(sysbench.opt.threads, STRIPES) - 1 do
      local stripe = shared.stripe[at]
      C.pthread_mutex_lock(stripe.lock)
      for kind = 0, #names - 1 do
         for i = 0, VALUES - 1 do
            into[kind].value[i] = into[kind].value[i] + stripe.kind[kind].value[i]
         end
      end
      if is_start then
         ffi.fill(stripe.least_ms, ffi.sizeof(stripe.least_ms))
         ffi.fill(stripe.most_ms, ffi.sizeof(stripe.most_ms))
      end
      C.pthread_mutex_unlock(stripe.lock)
   end
end

local function events(of)
   local sum = 0
   for kind = 0, #names - 1 do
      sum = sum + of[kind].value[0]
   end
   return sum
end

local function upper_ms(bucket)
   return math.exp((bucket + 0.5) / A_BUCKET + LOWEST)
end

local function bucket_list(from, to)
   local parts = {}
   for i = 0, BUCKETS - 1 do
      local count = to.value[BUCKET + i] - from.value[BUCKET + i]
      if count > 0 then
         parts[#parts + 1] = ("[%.6g,%.0f]"):format(upper_ms(i), count)
      end
   end
   return "[" .. table.concat(parts, ",") .. "]"
end

-- "events":..., "rows":{...}, "buckets":[...]
local function counts_of(from, to)
   local parts, rows = {}, {}
   for i, name in ipairs(COUNTS) do
      local is_row = i > ROWS and i < #COUNTS
      local list = is_row and rows or parts
      list[#list + 1] = ('"%s":%.0f'):format(name, to.value[i - 1] - from.value[i - 1])
   end
   local events_text, rows_text = table.concat(parts, ","), table.concat(rows, ",")
   return ('%s,"rows":{%s},"buckets":%s'):format(events_text, rows_text, bucket_list(from, to))
end

local function of_second(_, from, to)
   return "{" .. counts_of(from, to) .. "}"
end

-- The least and the most latency of a kind since the warm-up.
local function extremes(kind)
   local least, most = math.huge, 0
   for at = 0, STRIPES - 1 do
      local stripe = shared.stripe[at]
      if stripe.most_ms[kind] > 0 then
         least, most = math.min(least, stripe.least_ms[kind]), math.max(most, stripe.most_ms[kind])
      end
   end
   return least, most
end

local function of_total(kind, from, to)
   local count, latency = to.value[0] - from.value[0], '{"min":null,"avg":null,"max":null}'
   if count > 0 then
      local least, most = extremes(kind)
      local mean = (to.value[SUM] - from.value[SUM]) / count
      latency = ('{"min":%.6g,"avg":%.6g,"max":%.6g}'):format(least, mean, most)
   end
   return ('{%s,"latency_ms":%s}'):format(counts_of(from, to), latency)
end

local function write_all(text)
   local rest, length = ffi.cast("const char *", text), #text
   while length > 0 do
      local written = tonumber(C.write(sysbench.opt.report_fd, rest, length))
      if written < 0 and ffi.errno() ~= EINTR then
         C.signal(SIGPIPE, nil) -- nobody reads any more
         C.raise(SIGPIPE)
      end
      written = math.max(written, 0)
      rest, length = rest + written, length - written
   end
end

-- The line "kinds": it stands before the line of the step that it belongs to.
local function write_line(form, from, to)
   local parts = {}
   for kind, name in ipairs(names) do
      parts[kind] = ('"%s":%s'):format(name, form(kind - 1, from[kind - 1], to[kind - 1]))
   end
   local line = ('{"type":"kinds","kinds":{%s}}\n'):format(table.concat(parts, ","))
   C.pthread_mutex_lock(block.lock)
   write_all(line)
   C.pthread_mutex_unlock(block.lock)
end

-- Raise what was shown to what there was at the end of the warm-up, as dyno-figures.lua does.
local function raise_to_start()
   for kind = 0, #names - 1 do
      for i = 0, VALUES - 1 do
         shared.shown[kind].value[i] = math.max(shared.shown[kind].value[i], shared.start[kind].value[i])
      end
   end
end

-- Where the next line "second" ends: as end_of_second of dyno-figures.lua says.
local function end_of_second(stat)
   if block.measured == 0 then
      return shared.running
   end
   local late_s = stat.time_total - block.start.time_s
   if block.shown.time_s < block.start.time_s and late_s < stat.time_interval / 2 then
      return shared.start
   end
   raise_to_start()
   return shared.running
end

-- The events of the step are those of all kinds: both are counted at the same moment.
local function report_second(report, stat)
   local before = events(shared.running)
   take(shared.running)
   stat.events = events(shared.running) - before
   if block.ended == 0 then
      local to = end_of_second(stat)
      write_line(of_second, shared.shown, to)
      ffi.copy(shared.shown, to, ffi.sizeof(shared.shown))
   end
   report(stat)
end

local function report_part(report, stat)
   if block.done == sysbench.opt.threads then
      local total = ffi.new("dyno_kind[20]")
      take(total)
      stat.events = events(total) - events(shared.start)
      write_line(of_total, shared.start, total)
   else
      take(shared.start, true)
      stat.events = events(shared.start)
   end
   report(stat)
end

-- sysbench cancels its reporting threads when a run ends: not in here, where they would take locks with them.
local function in_place_of(name, action)
   local report = sysbench.hooks[name]
   sysbench.hooks[name] = function(stat)
      local before = ffi.new("int[1]")
      C.pthread_setcancelstate(1, before) -- PTHREAD_CANCEL_DISABLE
      C.pthread_mutex_lock(shared.lock)
      local good, problem = pcall(action, report, stat)
      C.pthread_mutex_unlock(shared.lock)
      C.pthread_setcancelstate(before[0], nil)
      assert(good, problem)
   end
end

in_place_of("report_intermediate", report_second)
in_place_of("report_cumulative", report_part)

-- Events ------------------------------------------------------------------------------------------

local due_s -- when the event was due, of a step at a rate

-- A latency counts from the moment the event was due, as in dyno-rate.lua.
local function look_at_schedule()
   local schedule = package.loaded["dyno-schedule"]
   if schedule then
      local take_next = schedule.take
      function schedule.take(...)
         due_s = take_next(...)
         return due_s
      end
   end
end

local before_restart = sysbench.hooks.before_restart_event

function sysbench.hooks.before_restart_event(problem)
   rolled_back = rolled_back + (problem and 0 or 1) -- without an error it is the ROLLBACK of dyno-rollback.lua
   before_restart(problem)
end

-- A name of a kind: it becomes part of a line, and of the names of series.
local function checked(name)
   local is_good = type(name) == "string" and #name <= 30 and name:find("^[a-z0-9][a-z0-9-]*$")
   assert(is_good, "dyno: a kind has up to 30 lower-case letters, digits and dashes")
   return name
end

-- Call it once `event` is defined. draw() gives the number of the next kind, from 1. The latency of an event that begins
-- again after an error goes on. It stays of its kind, unless draws_anew() says otherwise.
function kinds.drive(kind_names, draw, draws_anew)
   assert(#kind_names <= MOST, "dyno: a workload has at most 20 kinds")
   for i, name in ipairs(kind_names) do
      names[i] = checked(name)
   end
   local init, carry_out = thread_init, event
   local restart = sysbench.hooks.before_restart_event
   local kind, began_s, has_begun

   function sysbench.hooks.before_restart_event(problem)
      restart(problem)
      if problem and redraw then
         kind = redraw() or kind
      end
   end

   function thread_init()
      init()
      look_at_schedule()
   end

   function event(thread_id)
      if not has_begun then
         look(thread_id) -- what connecting and preparing took is of no kind
         ffi.copy(seen, now, ffi.sizeof(seen))
         has_begun = true
      end
      if not kind then
         kind, began_s = draw(), due_s or run.clock()
      end
      local has_ended = carry_out(thread_id, kind)
      if not has_ended then
         count(thread_id, kind - 1, run.clock() - began_s)
      end
      kind = nil
      return has_ended
   end
end

return kinds
