-- What every workload of Dyno shares, for sysbench 1.0.20: options, connection, prepared statements,
-- transactions, random keys and texts, and the counting of rows.
--
-- A workload calls dyno.declare, defines dyno.prepare (statements of a thread) and event.

local ffi = require("ffi")
local bit = require("bit")
local figures = require("dyno-figures")
local C = ffi.C

ffi.cdef("extern uint64_t sb_rng_state[2];")

local dyno = {}

local counts = figures.counts
local result -- of the latest statement: the same place for all statements of a connection
local tables, table_size
local own_table -- the number of the one table of this client, where each has one

-- Options -----------------------------------------------------------------------------------------

-- Declare the options of a workload beside those that all have: {name = {"what it is", default}}.
function dyno.declare(options)
   options.tables = {"Number of tables", 1}
   options.table_size = {"Rows of each table", 10000}
   options.engine = {"Storage engine of the tables", "innodb"}
   options.own_table = {"One table for each client, by its number, in place of any", false}
   options.column_family = {"Of MyRocks, that the tables' keys are kept in; none: the default one", ""}
   options.report_fd = {"File descriptor that the JSON lines are written to", 1}
   sysbench.cmdline.options = options
end

-- Threads -----------------------------------------------------------------------------------------

-- splitmix64: neighbouring seeds give streams that have nothing to do with each other.
local function mixed(value)
   value = bit.bxor(value, bit.rshift(value, 30)) * 0xbf58476d1ce4e5b9ULL
   value = bit.bxor(value, bit.rshift(value, 27)) * 0x94d049bb133111ebULL
   return bit.bxor(value, bit.rshift(value, 31))
end

-- Begin the random stream that belongs to --rand-seed and a number, or a part of it. Left alone, sysbench
-- gives out its streams in the order in which its threads happen to start.
function dyno.seed(stream, part)
   if sysbench.opt.rand_seed == 0 then
      return -- of the clock
   end
   local seed = (sysbench.opt.rand_seed * 65536ULL + stream) * 2
   local apart = (part or 0) * 0xd1b54a32d192ed03ULL
   C.sb_rng_state[0] = mixed(seed * 0x9e3779b97f4a7c15ULL + apart)
   C.sb_rng_state[1] = mixed((seed + 1) * 0x9e3779b97f4a7c15ULL + apart)
end

-- What a key is told when it is made: its column family, where one was asked for.
function dyno.key_comment()
   local family = sysbench.opt.column_family
   return family ~= "" and (" COMMENT 'cfname=%s'"):format(family) or ""
end

-- Tell a statement that stands for all of the workload: how the server carries it out is kept (EXPLAIN).
function dyno.tell(statement)
   if sysbench.tid == 0 then
      figures.tell_statement(statement)
   end
end

-- Send a statement that is none of the workload's: it appears in no figure.
function dyno.set_up(statement)
   dyno.connection:query(statement)
   counts.setup_other = counts.setup_other + 1
end

-- The rows of a statement that is none of the workload's, each a list of texts.
function dyno.look_up(statement)
   local answer, rows = dyno.connection:query(statement), {}
   for i = 1, answer.nrows do
      rows[i] = answer:fetch_row()
   end
   answer:free()
   counts.setup_reads = counts.setup_reads + 1
   return rows
end

-- False where the server does not take one client more: the step goes on with those it has taken.
local function connect()
   local good, connection = pcall(sysbench.sql.driver().connect, sysbench.sql.driver())
   if not good then
      return false
   end
   dyno.connection = connection
   dyno.set_up("SET NAMES latin1")
   result = dyno.connection:query("SELECT 1")
   assert(result ~= nil, "dyno: no result (a dry run?)")
   counts.setup_reads = counts.setup_reads + 1
   counts.clients = 1
   return true
end

local function have_nothing_to_do()
   return true
end

function init()
   assert(sysbench.opt.threads < figures.MAX_THREADS, "dyno: at most 4095 threads")
end

function thread_init()
   tables, table_size = sysbench.opt.tables, sysbench.opt.table_size
   own_table = sysbench.opt.own_table and sysbench.tid % tables + 1 or nil
   if connect() then
      dyno.prepare() -- of the workload
      dyno.seed(sysbench.tid)
   else
      event = have_nothing_to_do
   end
end

-- A workload that has something left open when its step ends sets it.
function dyno.finish()
end

function thread_done()
   figures.end_worker()
   if dyno.connection then
      dyno.finish()
      dyno.connection:disconnect()
   end
end

-- Statements --------------------------------------------------------------------------------------

local TYPES = {
   int = {sysbench.sql.type.INT},
   c = {sysbench.sql.type.CHAR, 119},
   pad = {sysbench.sql.type.CHAR, 59},
}

-- A prepared statement with its parameters: `query[1][0] = 7` sets a number, dyno.random_c(query[2]) a text.
function dyno.statement(text, ...)
   local handle = dyno.connection:prepare(text)
   local query, params = {handle = handle}, {}
   for i, kind in ipairs({...}) do
      params[i] = handle:bind_create(unpack(TYPES[kind]))
      params[i].data_len[0] = params[i].max_len
      query[i] = params[i].buffer
   end
   if #params > 0 then
      handle:bind_param(unpack(params))
   end
   query.params = params -- what is bound must live as long
   return query
end

-- A prepared statement with parameters that were made elsewhere, and may be those of other statements too.
function dyno.bound(text, params)
   local handle = dyno.connection:prepare(text)
   if #params > 0 then
      handle:bind_param(unpack(params))
   end
   return {handle = handle, params = params}
end

-- The same statement for each table that this client may meet: text has %u in place of its number.
function dyno.statements(text, ...)
   local queries = {}
   for i = own_table or 1, own_table or tables do
      queries[i] = dyno.statement(string.format(text, i), ...)
   end
   return queries
end

local written = counts -- where affected rows are counted: pending while a transaction is open
local pending = ffi.new("dyno_counts")
local is_open = false

function dyno.read(query)
   query.handle:execute()
   counts.read = counts.read + result.nrows
end

function dyno.insert(query)
   query.handle:execute()
   written.inserted = written.inserted + result.nrows
end

function dyno.update(query)
   query.handle:execute()
   written.updated = written.updated + result.nrows
end

function dyno.delete(query)
   query.handle:execute()
   written.deleted = written.deleted + result.nrows
end

-- Send an INSERT that lies in memory as text; its buffer is not copied.
function dyno.insert_text(text, length)
   dyno.connection:check_error(C.db_query(dyno.connection, text, length), "INSERT")
   written.inserted = written.inserted + result.nrows
end

-- Transactions ------------------------------------------------------------------------------------

local NOT_TRANSACTIONAL = {myisam = true, aria = true, memory = true}
local begin, commit, is_kept

-- Call in prepare of a workload that uses dyno.begin and dyno.commit.
function dyno.prepare_transaction()
   begin, commit = dyno.statement("BEGIN"), dyno.statement("COMMIT")
   is_kept = NOT_TRANSACTIONAL[sysbench.opt.engine:lower()] -- rows stay written, committed or not
end

-- Whether a transaction has begun and not ended; a ROLLBACK after an error has ended it.
function dyno.is_open()
   return is_open
end

function dyno.begin()
   begin.handle:execute()
   counts.control = counts.control + 1
   is_open = true
   if not is_kept then
      written = pending
   end
end

local function end_transaction()
   is_open = false
   written = counts
   pending.inserted, pending.updated, pending.deleted = 0, 0, 0
end

function dyno.commit()
   commit.handle:execute()
   counts.control = counts.control + 1
   counts.inserted = counts.inserted + pending.inserted
   counts.updated = counts.updated + pending.updated
   counts.deleted = counts.deleted + pending.deleted
   end_transaction()
end

-- After an error that is ignored sysbench starts the event again. Some of these errors (1205) leave
-- the transaction open: its next BEGIN would commit half of it.
function sysbench.hooks.before_restart_event()
   if is_open then
      end_transaction()
      dyno.connection:query("ROLLBACK")
      counts.control = counts.control + 1
   end
end

-- Random keys and texts ---------------------------------------------------------------------------

local C_FORMAT = string.rep("###########", 10, "-")
local PAD_FORMAT = string.rep("###########", 5, "-")

-- The number of a table, all equally likely; or always that of one's own.
function dyno.any_table()
   return own_table or C.sb_rand_uniform(1, tables)
end

-- A key between 1 and the size of a table, distributed as --rand-type says.
function dyno.any_id()
   return C.sb_rand_default(1, table_size)
end

-- 119 characters for column c: ten groups of eleven digits.
function dyno.random_c(place)
   C.sb_rand_str(C_FORMAT, place)
end

-- 59 characters for column pad: five groups of eleven digits.
function dyno.random_pad(place)
   C.sb_rand_str(PAD_FORMAT, place)
end

dyno.counts = counts
return dyno
