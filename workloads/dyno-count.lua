-- A workload whose one client waits at a gate, and does as many events as the gate says: sysbench 1.0.20 is
-- started with this file in place of the workload's, which DYNO_WORKLOAD names without .lua. While the client
-- waits, the counting of the server's instructions begins or ends. Tokens come as through the gate of slices
-- (README.md), but are numbers of events; the lines `ready` and `passed` say that the client waits.

local ffi = require("ffi")

local workload = assert(os.getenv("DYNO_WORKLOAD"), "dyno: DYNO_WORKLOAD names no workload")
dofile(workload .. ".lua") -- of this folder; in require a dot of its name would be another one

local figures = require("dyno-figures")
local run = require("dyno-run")
local C = ffi.C

local EINTR = 4

-- Names of C are declared anew: a workload may have declared some with other types.
ffi.cdef([[
long dyno_read(int fd, void *data, size_t length) __asm__("read");
]])

sysbench.cmdline.options.gate_fd = {"File descriptor that the tokens of the gate come from", -1}

local token = ffi.new("double[1]") -- a number of events; 0: leave

local function read_token()
   while true do
      local length = tonumber(C.dyno_read(sysbench.opt.gate_fd, token, 8))
      if length == 8 then
         return token[0]
      elseif length == 0 then
         return 0
      end
      assert(length < 0 and ffi.errno() == EINTR, "dyno: the gate cannot be read")
   end
end

local function write_line(kind, count)
   local line = string.format('{"type":"%s","workers":%d}\n', kind, count)
   assert(tonumber(C.write(sysbench.opt.report_fd, line, #line)) == #line, "dyno: nobody reads the lines")
end

local function carry_out(thread_id)
   C.sb_event_start(thread_id)
   local has_ended = run.carry_out(thread_id)
   C.sb_event_stop(thread_id)
   return has_ended
end

function thread_run(thread_id)
   local workers = figures.counts.clients == 0 and 0 or 1 -- the server may have refused it
   write_line("ready", workers)
   local events = workers == 0 and 0 or read_token()
   while events > 0 do
      for _ = 1, events do
         if carry_out(thread_id) then
            return
         end
      end
      write_line("passed", 1)
      events = read_token()
   end
end
