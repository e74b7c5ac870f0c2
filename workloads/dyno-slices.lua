-- A workload whose clients wait at a gate: sysbench 1.0.20 is started with this file in place of the
-- workload's, which DYNO_WORKLOAD names without .lua. README.md describes the gate.
--
-- A wait is part of no event: the clients sleep in a read, before the event begins. sysbench's own clock
-- goes on meanwhile, so what a slice has cost is measured here.

local ffi = require("ffi")

local workload = assert(os.getenv("DYNO_WORKLOAD"), "dyno: DYNO_WORKLOAD names no workload")
dofile(workload .. ".lua") -- of this folder; in require a dot of its name would be another one

local dyno = require("dyno")
local figures = require("dyno-figures")
local run = require("dyno-run")
local schedule = require("dyno-schedule")
local C = ffi.C

local MAX_BUCKETS = 1024
local LEAVE = 0 -- as a deadline, and at the end of file
local EINTR, SIGPIPE = 4, 13

-- Names of C are declared anew: a workload may have declared some with other types.
ffi.cdef([[
typedef struct {               /* shared by all clients, whose Lua states are apart */
  char lock[128];              /* a pthread_mutex_t: all zeros is an unlocked one */
  int arrived, workers;        /* clients that have come to the gate; those of them that work */
  int taken, finished, expected; /* tokens of this slice */
  double opened_s, deadline_s, ended_s; /* of this slice, by the clock: ended_s is the latest event's end */
  double active_s;             /* the sum over its tokens */
  double count[12];            /* of COUNTED, from 1 */
  double least_s, most_s, sum_s, bucket[1024]; /* latencies; */
  int low, high;               /* no other bucket holds any */
  double passed_s;             /* how long the gate was open before */
} dyno_slice;
typedef struct {               /* of one client: what its token has brought */
  double until_s, count[12], least_s, most_s, sum_s, bucket[1024];
  int low, high, is_last;      /* is_last: the client has nothing more to do, and leaves */
} dyno_share;

uint64_t sb_counter_val(int thread_id, int type);
long dyno_read(int fd, void *data, size_t length) __asm__("read");
int dyno_open(const char *path, int flags, ...) __asm__("open");
int dyno_close(int fd) __asm__("close");
]])

sysbench.cmdline.options.gate_fd = {"File descriptor that the tokens of the gate come from", -1}

local slice = run.shared_block("DYNO_SLICE", "dyno_slice")
local share = ffi.new("dyno_share")

-- Latencies ---------------------------------------------------------------------------------------

-- The buckets of sysbench: i holds what is nearest to its middle on the logarithmic scale, in ms.
local LOWEST = math.log(0.001)
local A_BUCKET = (MAX_BUCKETS - 1) / (math.log(100000) - LOWEST)

local function middle_ms(i)
   return math.exp(i / A_BUCKET + LOWEST)
end

local function record(latency_s)
   local i = math.floor((math.log(latency_s * 1000) - LOWEST) * A_BUCKET + 0.5)
   i = math.min(math.max(i, 0), MAX_BUCKETS - 1)
   share.bucket[i] = share.bucket[i] + 1
   share.low, share.high = math.min(share.low, i), math.max(share.high, i)
   share.least_s = math.min(share.least_s, latency_s)
   share.most_s = math.max(share.most_s, latency_s)
   share.sum_s = share.sum_s + latency_s
end

local function clear_latencies(of)
   of.least_s, of.most_s, of.sum_s, of.low, of.high = math.huge, 0, 0, MAX_BUCKETS, -1
   ffi.fill(of.bucket, ffi.sizeof(of.bucket))
end

-- Counts ------------------------------------------------------------------------------------------

local COUNTED = {"events", "reads", "writes", "other", "errors", "reconnects", "control", -- in this order
   "read", "inserted", "updated", "deleted"}
local SYSBENCH = {3, 1, 2, 0, 4, 5} -- the numbers of its counters; all others the workload counts itself
local ROWS = 8 -- the first of them

-- What this client has counted since it came to the gate for the first time, or since the last look.
local function add_growth(thread_id, totals)
   for i, name in ipairs(COUNTED) do
      local counter = SYSBENCH[i]
      local now = counter and tonumber(C.sb_counter_val(thread_id, counter)) or figures.counts[name]
      totals[i] = totals[i] + now - share.count[i]
      share.count[i] = now
   end
end

-- Lines -------------------------------------------------------------------------------------------

-- Where nobody reads any more, the process ends as by SIGPIPE, which the client library ignores.
local function write_line(text)
   local rest, length = ffi.cast("const char *", text), #text
   while length > 0 do
      local written = tonumber(C.write(sysbench.opt.report_fd, rest, length))
      if written < 0 and ffi.errno() ~= EINTR then
         C.signal(SIGPIPE, nil)
         C.raise(SIGPIPE)
      end
      written = math.max(written, 0)
      rest, length = rest + written, length - written
   end
end

local function milliseconds(value)
   return slice.count[1] > 0 and string.format("%.6g", value * 1000) or "null"
end

-- The same of the same events as sysbench would say.
local function p95_s()
   local wanted, seen, i = math.floor(slice.count[1] * 0.95 + 0.5), slice.bucket[0], 0
   while seen < wanted do
      i = i + 1
      seen = seen + slice.bucket[i]
   end
   return middle_ms(i) / 1000
end

local function named_counts(first, last)
   local parts = {}
   for i = first, last do
      parts[#parts + 1] = string.format('"%s":%.0f', COUNTED[i], slice.count[i])
   end
   return table.concat(parts, ",")
end

local function bucket_list()
   local parts = {}
   for i = slice.low, slice.high do
      if slice.bucket[i] > 0 then
         parts[#parts + 1] = string.format("[%.6g,%.0f]", middle_ms(i + 0.5), slice.bucket[i])
      end
   end
   return table.concat(parts, ",")
end

local function write_slice()
   local times = string.format(
      '"time_s":%.6f,"interval_s":%.6f,"active_s":%.6f', slice.ended_s - slice.opened_s,
      slice.active_s / slice.expected, slice.active_s
   )
   local latency = string.format(
      '"p95_ms":%s,"latency_ms":{"min":%s,"avg":%s,"max":%s},"buckets":[%s]', milliseconds(p95_s()),
      milliseconds(slice.least_s), milliseconds(slice.sum_s / slice.count[1]), milliseconds(slice.most_s),
      bucket_list()
   )
   local line = '{"type":"slice",%s,%s,"rows":{%s},%s,"workers":%d}\n'
   local counts, rows = named_counts(1, ROWS - 1), named_counts(ROWS, #COUNTED)
   write_line(line:format(times, counts, rows, latency, slice.workers))
end

-- The schedule of a rate --------------------------------------------------------------------------

-- Wait for the next event of the schedule, which pauses while the gate is closed; the moment it was due, or nil
-- at the deadline.
local function await_turn(now_s, deadline_s)
   local last_s = dyno.is_open() and math.huge or deadline_s
   local due_s = schedule.take(slice.opened_s - slice.passed_s, last_s)
   share.until_s = due_s and share.until_s or deadline_s
   if now_s < (due_s or deadline_s) then
      run.sleep_until(due_s or deadline_s)
   end
   return due_s
end

local report = sysbench.hooks.report_cumulative

function sysbench.hooks.report_cumulative(stat)
   if sysbench.opt.event_rate > 0 then
      figures.write_schedule(schedule.behind_s(slice.passed_s))
   end
   report(stat)
end

-- The gate ----------------------------------------------------------------------------------------

local token = ffi.new("double[1]") -- a deadline

-- Sleep until a token comes; its deadline.
local function read_token()
   while true do
      local length = tonumber(C.dyno_read(sysbench.opt.gate_fd, token, 8))
      if length == 8 then
         return token[0]
      elseif length == 0 then
         return LEAVE
      end
      assert(length < 0 and ffi.errno() == EINTR, "dyno: the gate cannot be read")
   end
end

-- A client arrives; one that the server has refused has no part in anything.
local function arrive(is_refused)
   slice.arrived = slice.arrived + 1
   slice.workers = slice.workers + (is_refused and 0 or 1)
   if slice.arrived == sysbench.opt.threads then
      write_line(string.format('{"type":"ready","workers":%d}\n', slice.workers))
   end
end

local function open_slice(now_s, deadline_s)
   slice.opened_s, slice.deadline_s, slice.ended_s = now_s, deadline_s, now_s
   slice.expected, slice.active_s = slice.workers, 0
   ffi.fill(slice.count, ffi.sizeof(slice.count))
   clear_latencies(slice)
end

-- Tokens are counted, not clients: one that gets no CPU for all of a slice leaves its token to another, which
-- then takes two. A client that waits for a CPU before its first event has the same time as the others, who use
-- the CPU meanwhile: of thousands of clients many come late.
local function take_token(deadline_s)
   local now_s = run.clock()
   if slice.taken == 0 then
      open_slice(now_s, deadline_s)
   end
   slice.taken = slice.taken + 1
   share.until_s = math.max(slice.opened_s, math.min(now_s, deadline_s))
end

local function add_latencies()
   slice.least_s = math.min(slice.least_s, share.least_s)
   slice.most_s = math.max(slice.most_s, share.most_s)
   slice.sum_s = slice.sum_s + share.sum_s
   slice.low, slice.high = math.min(slice.low, share.low), math.max(slice.high, share.high)
   for i = share.low, share.high do
      slice.bucket[i] = slice.bucket[i] + share.bucket[i]
   end
   clear_latencies(share)
end

local function finish_token(thread_id)
   add_growth(thread_id, slice.count)
   add_latencies()
   slice.active_s = slice.active_s + share.until_s - slice.opened_s
   slice.ended_s = math.max(slice.ended_s, share.until_s)
   slice.workers = slice.workers - share.is_last
   slice.finished = slice.finished + 1
   if slice.finished == slice.expected then
      write_slice()
      slice.passed_s = slice.passed_s + math.max(slice.deadline_s - slice.opened_s, 0)
      slice.taken, slice.finished = 0, 0
   end
end

-- Clients that sleep at the gate do not see that the process fails: each gets a token to leave.
local function wake_others()
   local gate = C.dyno_open("/proc/self/fd/" .. sysbench.opt.gate_fd, 1) -- O_WRONLY
   token[0] = LEAVE
   for _ = 2, slice.workers do
      C.write(gate, token, 8)
   end
   C.dyno_close(gate)
end

-- Events ------------------------------------------------------------------------------------------

-- The moment at which the next event is due; nil when no more begins before the deadline. A transaction that
-- is open goes on: its locks would hold up the clients that have not come to the gate yet.
local function next_due(now_s, deadline_s)
   if now_s >= deadline_s and not dyno.is_open() then
      return nil
   elseif sysbench.opt.event_rate > 0 then
      return await_turn(now_s, deadline_s)
   end
   return now_s
end

-- Carry out events until the deadline. False where this client has nothing more to do.
local function carry_out_events(thread_id, deadline_s)
   local due_s = next_due(run.clock(), deadline_s)
   while due_s do
      if not C.sb_more_events(thread_id) then
         return false
      end
      C.sb_event_start(thread_id)
      if run.carry_out(thread_id) then
         return false
      end
      C.sb_event_stop(thread_id)
      share.until_s = run.clock()
      record(share.until_s - due_s)
      due_s = next_due(share.until_s, deadline_s)
   end
   return true
end

local function work(thread_id)
   local deadline_s = read_token()
   while deadline_s ~= LEAVE do
      run.locked(slice.lock, take_token, deadline_s)
      local goes_on = carry_out_events(thread_id, deadline_s)
      share.is_last = goes_on and 0 or 1
      run.locked(slice.lock, finish_token, thread_id)
      deadline_s = goes_on and read_token() or LEAVE
   end
end

function thread_run(thread_id)
   local is_refused = figures.counts.clients == 0
   add_growth(thread_id, ffi.new("double[12]")) -- statements of thread_init are in no slice
   clear_latencies(share)
   run.sleep_exactly()
   run.locked(slice.lock, arrive, is_refused)
   if is_refused then
      return
   end
   local good, problem = pcall(work, thread_id)
   if not good then
      wake_others()
      error(problem, 0)
   end
end
