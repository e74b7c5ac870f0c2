-- The figures of a sysbench process, as JSON lines: one a second, one at the end of the warm-up, one at
-- the end. README.md tells what stands in them. Required by dyno.lua.
--
-- Each thread of sysbench has a Lua state of its own. What they share lies in one block of memory
-- whose address the main state leaves in the environment of the process: the row counts of each
-- worker, and the totals that the reporting threads and the main thread agree on.

local ffi = require("ffi")
local C = ffi.C

local MAX_THREADS = 4096
local MAX_BUCKETS = 1024
local SLOTS = 128 -- of the histogram: sysbench spreads its counts, and adds them up when asked
local EINTR, SIGPIPE = 4, 13
local SETUP = "dyno: cannot set up the shared block"

ffi.cdef([[
typedef struct {               /* of one worker: two cache lines that no other worker writes to */
  double read, inserted, updated, deleted, control, setup_reads, setup_other, clients, unused[8];
} dyno_counts;
typedef struct {               /* everything counted until a moment */
  double time_s;
  double count[11];            /* in the order of FIELDS */
} dyno_totals;
typedef struct {
  char lock[128];              /* a pthread_mutex_t: all zeros is an unlocked one */
  int done, begun, measured, ended; /* workers that are done; first line, end of warm-up, total are written */
  dyno_totals running;         /* at the latest report of sysbench */
  dyno_totals shown;           /* at the end of the latest line "second" */
  dyno_totals start;           /* at the end of the warm-up */
  double bucket[1024];         /* of the measured part, at its end */
  double seen[1024];           /* at the end of the latest line "second", since the histogram was emptied */
  dyno_counts counts[4096];
} dyno_block;
typedef struct {               /* sb_histogram_t of sysbench 1.0.20 */
  uint64_t *cumulative_array;
  uint64_t cumulative_nevents;
  uint64_t *temp_array;
  uint64_t **interm_slots;
  size_t array_size;
  double range_min, range_max, range_deduct, range_mult;
  char lock[64];               /* a pthread_rwlock_t */
} dyno_histogram;

extern dyno_histogram sb_latency_histogram;
int pthread_rwlock_rdlock(void *lock);
int pthread_rwlock_unlock(void *lock);
int pthread_setcancelstate(int state, int *before);
int pthread_mutex_lock(void *mutex);
int pthread_mutex_unlock(void *mutex);
void *mmap(void *address, size_t length, int protection, int flags, int fd, long offset);
int setenv(const char *name, const char *value, int overwrite);
int getpid(void);
int raise(int number);
long write(int fd, const void *data, size_t length);
void *signal(int number, void *handler);
]])

local figures = {}

-- The shared block --------------------------------------------------------------------------------

local function shared_block()
   local name = "DYNO_BLOCK_" .. C.getpid()
   local address = os.getenv(name)
   if address == nil then -- the main state, before any thread; 3: to read and write, 0x21: shared, anonymous
      local fresh = C.mmap(nil, ffi.sizeof("dyno_block"), 3, 0x21, -1, 0)
      address = string.format("%.0f", tonumber(ffi.cast("intptr_t", fresh)))
      assert(tonumber(address) > 0 and C.setenv(name, address, 1) == 0, SETUP)
   end
   return ffi.cast("dyno_block *", ffi.cast("intptr_t", tonumber(address)))
end

local block = shared_block()

-- Carry out a function that no other thread may be in. When a run ends, sysbench cancels its reporting
-- threads wherever they are: not in here, where they would take the lock with them.
local function locked(action, argument)
   local before = ffi.new("int[1]")
   C.pthread_setcancelstate(1, before) -- PTHREAD_CANCEL_DISABLE
   C.pthread_mutex_lock(block.lock)
   local good, problem = pcall(action, argument)
   C.pthread_mutex_unlock(block.lock)
   C.pthread_setcancelstate(before[0], nil)
   assert(good, problem)
end

-- Figures -----------------------------------------------------------------------------------------

local FIELDS = {"events", "reads", "writes", "other", "errors", "reconnects"} -- count[0..5], from sysbench
local ROWS = {"read", "inserted", "updated", "deleted"} -- count[7..10], from the workers
local CONTROL = 6 -- BEGIN, COMMIT, ROLLBACK: part of "other"

-- Where nobody reads the figures any more, the process ends as by SIGPIPE. The client library ignores that
-- signal, and is to go on ignoring it for its own sockets.
local function end_unread()
   C.signal(SIGPIPE, nil)
   C.raise(SIGPIPE)
end

local function write_line(text)
   local rest = ffi.cast("const char *", text)
   local length = #text
   while length > 0 do
      local written = tonumber(C.write(sysbench.opt.report_fd, rest, length))
      if written < 0 and ffi.errno() ~= EINTR then
         end_unread()
      end
      written = math.max(written, 0)
      rest, length = rest + written, length - written
   end
end

local NOTHING = 0 / 0

local function number(value)
   if value ~= value or value == math.huge or value == -math.huge then
      return "null"
   end
   return string.format("%.6g", value)
end

local function since(from, to, i)
   return math.max(to.count[i] - from.count[i], 0)
end

-- {"type":...,"time_s":...,<what differs by type>,"events":...,"rows":{...}}
local function write_counts(kind, from, to, extra)
   local parts = {}
   for i, name in ipairs(FIELDS) do
      parts[i] = string.format('"%s":%.0f', name, since(from, to, i - 1))
   end
   parts[#parts + 1] = string.format('"control":%.0f', since(from, to, CONTROL))
   local rows = {}
   for i, name in ipairs(ROWS) do
      rows[i] = string.format('"%s":%.0f', name, since(from, to, i + CONTROL))
   end
   local events, written = table.concat(parts, ","), table.concat(rows, ",")
   write_line(string.format('{"type":"%s",%s,%s,"rows":{%s}}\n', kind, extra, events, written))
end

local function add_workers(totals)
   for i = CONTROL, CONTROL + #ROWS do
      totals.count[i] = 0
   end
   for thread = 0, sysbench.opt.threads - 1 do
      local own = block.counts[thread]
      totals.count[CONTROL] = totals.count[CONTROL] + own.control
      for i, name in ipairs(ROWS) do
         totals.count[i + CONTROL] = totals.count[i + CONTROL] + own[name]
      end
   end
end

-- Set totals to base and what sysbench has counted since, and to the rows of the workers as they are now.
local function set_totals(totals, base, stat)
   totals.time_s = stat.time_total
   for i, name in ipairs(FIELDS) do
      totals.count[i - 1] = base.count[i - 1] + stat[name]
   end
   add_workers(totals)
end

-- Statements of thread_init are none of the workload's: everything is counted from behind them.
local function leave_out_setup(totals)
   for thread = 0, sysbench.opt.threads - 1 do
      totals.count[1] = totals.count[1] + block.counts[thread].setup_reads
      totals.count[3] = totals.count[3] + block.counts[thread].setup_other
   end
end

local function begin_figures()
   if block.begun == 0 then
      block.begun = 1
      leave_out_setup(block.shown)
      leave_out_setup(block.start)
   end
end

-- Workers that the server has taken; where it refuses some, the others go on.
local function connected()
   local found = 0
   for thread = 0, sysbench.opt.threads - 1 do
      found = found + block.counts[thread].clients
   end
   return found
end

-- Bring totals up to the end of the warm-up where they lie before it.
local function raise_to_start(totals)
   totals.time_s = math.max(totals.time_s, block.start.time_s)
   for i = 0, CONTROL + #ROWS do
      totals.count[i] = math.max(totals.count[i], block.start.count[i])
   end
end

-- What the next line "second" covers: its end, and whether it belongs to the warm-up. The two reporting
-- threads of sysbench wake at the same moment in either order. The boundary (block.start) always parts
-- two lines, so that measured lines never add up to more than the total.
local function end_of_second(interval_s)
   local warmup_s = tonumber(sysbench.opt.report_checkpoints[1])
   if block.measured == 0 then
      return block.running, warmup_s ~= nil
   end
   local late = block.running.time_s - block.start.time_s
   if block.shown.time_s < block.start.time_s and late < interval_s / 2 then
      return block.start, true
   end
   raise_to_start(block.shown)
   return block.running, false
end

-- Latency buckets ---------------------------------------------------------------------------------

-- Bucket i holds what is nearest to its middle on the logarithmic scale; its upper bound stands for it.
local function bucket_list(count)
   local histogram, parts = C.sb_latency_histogram, {}
   for i = 0, MAX_BUCKETS - 1 do
      if count[i] > 0 then
         local upper_ms = math.exp((i + 0.5) / histogram.range_mult + histogram.range_deduct)
         parts[#parts + 1] = string.format("[%.6g,%.0f]", upper_ms, count[i])
      end
   end
   return "[" .. table.concat(parts, ",") .. "]"
end

-- Call with the histogram while no other thread changes it; false if it is not that of sysbench 1.0.20.
local function with_histogram(action)
   local histogram = C.sb_latency_histogram
   if histogram.array_size ~= MAX_BUCKETS or histogram.range_max ~= 100000 then
      return false
   end
   C.pthread_rwlock_rdlock(histogram.lock)
   action(histogram)
   C.pthread_rwlock_unlock(histogram.lock)
   return true
end

local growth = ffi.new("double[1024]")

-- What each bucket has grown by since the line before: sysbench has just added up its counts for the p95.
local function take_growth(histogram)
   for i = 0, MAX_BUCKETS - 1 do
      local count = tonumber(histogram.cumulative_array[i])
      growth[i] = count - block.seen[i]
      block.seen[i] = count
   end
end

local function latencies_of(stat, warm)
   local boundary = tonumber(sysbench.opt.report_checkpoints[1]) or -1
   if warm and math.abs(stat.time_total - boundary) < 0.3 then
      return '"p95_ms":null' -- sysbench has emptied its histogram in between
   end
   local text = '"p95_ms":' .. number(stat.events > 0 and stat.latency_pct * 1000 or NOTHING)
   return with_histogram(take_growth) and text .. ',"buckets":' .. bucket_list(growth) or text
end

-- Keep the buckets of the measured part. sysbench empties its histogram before it calls
-- report_cumulative, so the last worker to end reads it, leaving it as it is: nothing is added any more.
local function keep_buckets(histogram)
   for i = 0, MAX_BUCKETS - 1 do
      local count = histogram.cumulative_array[i]
      for slot = 0, SLOTS - 1 do
         count = count + histogram.interm_slots[slot][i]
      end
      block.bucket[i] = tonumber(count)
   end
end

local function write_second(stat)
   begin_figures()
   set_totals(block.running, block.running, stat)
   if block.ended == 1 then
      return
   end
   local to, warm = end_of_second(stat.time_interval)
   local extra = string.format(
      '"time_s":%.6f,"interval_s":%.6f,"measured":%s,"threads":%d,%s', to.time_s,
      to.time_s - block.shown.time_s, tostring(not warm), stat.threads_running, latencies_of(stat, warm)
   )
   write_counts("second", block.shown, to, extra)
   ffi.copy(block.shown, to, ffi.sizeof("dyno_totals"))
end

-- The line "measured": the warm-up is over; its counts are those of the warm-up.
local function write_measured(stat)
   local setup = ffi.new("dyno_totals")
   begin_figures()
   leave_out_setup(setup)
   set_totals(block.start, ffi.new("dyno_totals"), stat)
   block.measured = 1
   ffi.fill(block.seen, ffi.sizeof(block.seen)) -- sysbench has emptied its histogram
   write_counts("measured", setup, block.start, string.format('"time_s":%.6f', stat.time_total))
end

-- The line "total": what came after the warm-up.
local function write_total(stat)
   begin_figures()
   local zero, to = ffi.new("dyno_totals"), ffi.new("dyno_totals")
   set_totals(to, block.measured == 1 and block.start or zero, stat)
   block.ended = 1
   local some = stat.events > 0
   local extra = string.format(
      '"time_s":%.6f,"threads":%d,"clients":%d,"latency_ms":{"min":%s,"avg":%s,"max":%s},"buckets":%s',
      to.time_s - block.start.time_s, sysbench.opt.threads, connected(),
      number(some and stat.latency_min * 1000 or NOTHING),
      number(some and stat.latency_avg * 1000 or NOTHING),
      number(some and stat.latency_max * 1000 or NOTHING), bucket_list(block.bucket)
   )
   write_counts("total", block.start, to, extra)
end

local function write_cumulative(stat)
   if block.done == sysbench.opt.threads then
      write_total(stat)
   else
      write_measured(stat)
   end
end

function sysbench.hooks.report_intermediate(stat)
   locked(write_second, stat)
end

function sysbench.hooks.report_cumulative(stat)
   locked(write_cumulative, stat)
end

-- The end -----------------------------------------------------------------------------------------

local function end_worker()
   block.done = block.done + 1
   if block.done == sysbench.opt.threads then
      with_histogram(keep_buckets)
   end
end

-- The line "statement": one that stands for all of the workload.
function figures.tell_statement(text)
   write_line(string.format('{"type":"statement","text":"%s"}\n', text:gsub('[\\"]', "\\%0")))
end

-- The line "schedule" of a step at a rate: how far it was behind until now.
function figures.write_schedule(behind_s)
   locked(write_line, string.format('{"type":"schedule","behind_s":%.6f}\n', behind_s))
end

-- For workers -------------------------------------------------------------------------------------

figures.MAX_THREADS = MAX_THREADS
figures.counts = block.counts[math.min(sysbench.tid, MAX_THREADS - 1)] -- of this thread

-- Every worker calls it when it is done.
function figures.end_worker()
   locked(end_worker)
end

return figures
