-- A workload whose clients are on several machines: sysbench 1.0.20 is started with this file in place of the
-- one that DYNO_LOADED names without .lua (the workload's, dyno-rate or dyno-slices).
--
-- A client knows its number among all clients, so that rows, tables and random streams are shared out as if one
-- sysbench had them all. All begin at the same moment: each waits for a token with it, before sysbench's own
-- clock starts.

local ffi = require("ffi")

local loaded = assert(os.getenv("DYNO_LOADED"), "dyno: DYNO_LOADED names no file")
dofile(loaded .. ".lua") -- of this folder; in require a dot of its name would be another one

local run = require("dyno-run")
local C = ffi.C

local EINTR = 4

ffi.cdef([[
long dyno_read_token(int fd, void *data, size_t length) __asm__("read");
long dyno_write_line(int fd, const char *data, size_t length) __asm__("write");
]])

local options = sysbench.cmdline.options
options.first_client = {"Number of the first client of this process among all", 0}
options.all_clients = {"Clients of all processes", 1}
options.begin_fd = {"File descriptor that the tokens with the moment to begin come from; -1: at once", -1}

-- Clients -----------------------------------------------------------------------------------------

local own_threads -- clients of this process, by which the lines of figures are counted

local function as_all()
   sysbench.opt.threads = sysbench.opt.all_clients
end

local function as_own()
   sysbench.opt.threads = own_threads
end

-- What the workload calls sees the numbers of all clients; what counts and reports those of this process.
local function among_all(action, ...)
   as_all()
   local good, answer = pcall(action, ...)
   as_own()
   if not good then
      error(answer, 0)
   end
   return answer
end

-- The begin ---------------------------------------------------------------------------------------

local token = ffi.new("double[1]") -- a moment of CLOCK_MONOTONIC

local function await_begin()
   local waiting = '{"type":"waiting"}\n'
   C.dyno_write_line(sysbench.opt.report_fd, waiting, #waiting)
   local length
   repeat
      length = tonumber(C.dyno_read_token(sysbench.opt.begin_fd, token, 8))
   until length >= 0 or ffi.errno() ~= EINTR
   assert(length == 8, "dyno: nobody said when to begin")
   run.sleep_until(token[0])
end

local init_thread = thread_init

function thread_init()
   own_threads = sysbench.opt.threads
   local event_of_workload = event
   local own = sysbench.tid
   sysbench.tid = own + sysbench.opt.first_client
   among_all(init_thread)
   sysbench.tid = own
   if event == event_of_workload then -- else the server has refused the client
      function event(thread_id)
         return among_all(event_of_workload, thread_id)
      end
   end
   if sysbench.opt.begin_fd >= 0 then
      await_begin()
   end
end
