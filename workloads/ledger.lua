-- A ledger: each client inserts rows (client, n) with n rising from 1, each its own commit, and deletes its oldest row
-- now and then. What it has sent, and what was answered, stands in memory that the agent reads beside an operation
-- (`--ledger-fd`): it then counts what the table has lost. README.md describes that memory.

local ffi = require("ffi")
local dyno = require("dyno")
local C = ffi.C

local EACH = 8 -- one statement in so many deletes a row

dyno.declare({ledger_fd = {"File descriptor of the memory of the ledger; -1: none", -1}})

if not pcall(ffi.typeof, "dyno_ledger") then -- else this file is loaded again, for another connection
   ffi.cdef([[
typedef struct {
  uint64_t sent, answered;       /* the last n that was inserted, and whose answer came */
  uint64_t deleting, deleted;    /* the same of deletions: all rows up to it */
  uint64_t unanswered;           /* insertions that never had an answer */
  uint64_t lost[59];             /* which: the first of them */
} dyno_ledger;

void *dyno_map_ledger(void *at, size_t length, int access, int flags, int fd, long offset) __asm__("mmap");
]])
end

local own -- of this client
local insert, delete
local at = 0 -- statements so far
local has_lost = false -- a connection: an old row is deleted no more

local function map()
   if sysbench.opt.ledger_fd < 0 then
      return ffi.new("dyno_ledger") -- nobody reads it
   end
   local length = ffi.sizeof("dyno_ledger") * sysbench.opt.threads
   local place = C.dyno_map_ledger(nil, length, 3, 1, sysbench.opt.ledger_fd, 0) -- to read and write, shared
   assert(ffi.cast("intptr_t", place) ~= -1, "dyno: the memory of the ledger cannot be mapped")
   return ffi.cast("dyno_ledger *", place) + sysbench.tid
end

local function create()
   dyno.set_up(string.format(
      "CREATE TABLE IF NOT EXISTS ledger (client INT NOT NULL, n INT NOT NULL, PRIMARY KEY (client, n)) ENGINE=%s",
      sysbench.opt.engine
   ))
   dyno.set_up("DELETE FROM ledger WHERE client = " .. sysbench.tid) -- rows of an earlier step
end

function dyno.prepare()
   own = map()
   has_lost = own.sent > 0
   if not has_lost then
      create()
   end
   insert = dyno.statement("INSERT INTO ledger (client, n) VALUES (" .. sysbench.tid .. ", ?)", "int")
   delete = dyno.statement("DELETE FROM ledger WHERE client = " .. sysbench.tid .. " AND n = ?", "int")
end

-- The latest row has no answer, and will have none.
local function note_lost()
   if own.unanswered < 59 then
      own.lost[tonumber(own.unanswered)] = own.sent
   end
   own.unanswered = own.unanswered + 1
   own.answered = own.sent
end

local function delete_oldest()
   own.deleting = own.deleted + 1
   delete[1][0] = tonumber(own.deleting)
   delete.handle:execute() -- its rows are none of the tables that other workloads fill
   own.deleted = own.deleting
end

local function insert_next()
   own.sent = own.sent + 1
   insert[1][0] = tonumber(own.sent)
   insert.handle:execute()
   own.answered = own.sent
end

function event()
   if own.answered ~= own.sent then
      note_lost()
   end
   at = at + 1
   if at % EACH == 0 and not has_lost and own.deleted + 1 < own.answered then
      delete_oldest()
   else
      insert_next()
   end
end
