-- What the Lua that Dyno makes from custom SQL is built on: values that are drawn anew in each loop,
-- statements that take them, transactions over loops, tables that are filled.

local ffi = require("ffi")
local bit = require("bit")
local dyno = require("dyno")
local C = ffi.C

local sql = {}

local variables = {} -- by name
local drawn = {} -- those that a statement takes, in the order of the file
local written, prepared = {}, {} -- statements as they are written, and of this thread

-- Values ------------------------------------------------------------------------------------------

-- A number of a declaration that is so many more than the rows of the plan.
function sql.rows(more)
   return {rows = more}
end

local function number(value)
   return type(value) == "table" and sysbench.opt.table_size + value.rows or value
end

-- A whole number from low to high, all equally likely.
local function between(low, high)
   return low + math.floor(C.sb_rand_uniform_double() * (high - low + 1))
end

local LETTERS = ffi.new("char[64]", "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
local PROSE = string.rep("the quick brown fox jumps over the lazy dog and has done so in every line before ", 820)
local OF_LETTERS, OF_PROSE = 0.757, 0.012 -- what zlib leaves of each

-- So many random letters: five of 64 in one draw of 30 bits.
local function put_letters(place, length)
   for at = 0, length - 1, 5 do
      local bits = C.sb_rand_uniform(0, 1073741823)
      for i = at, math.min(at + 4, length - 1) do
         place[i] = LETTERS[bit.band(bits, 63)]
         bits = bit.rshift(bits, 6)
      end
   end
end

local TYPE = sysbench.sql.type

-- A parameter of prepared statements, shared by all that take the same value.
local function parameter(type, buffer, max_len)
   return {
      type = type, buffer = buffer, max_len = max_len,
      data_len = ffi.new("unsigned long[1]", max_len), is_null = ffi.new("char[1]"),
   }
end

local function whole()
   return parameter(TYPE.BIGINT, ffi.new("int64_t[1]"), 8)
end

local function set_number(place, value)
   place.buffer[0] = value
end

local function set_text(place, text)
   ffi.copy(place.buffer, text, #text)
   place.data_len[0] = #text
end

local DAY = 86400

-- Of each type: a parameter for it, the next value, and how a value is put in its place.
local TYPES = {}

function TYPES.int(low, high)
   low, high = number(low), number(high)
   return {create = whole, set = set_number, next = function() return between(low, high) end}
end

function TYPES.seq(low, high)
   low, high = number(low), number(high)
   return {create = whole, set = set_number, next = function(loop) return low + loop % (high - low + 1) end}
end

function TYPES.intlist(...)
   local members = {...}
   return {create = whole, set = set_number, next = function() return members[between(1, #members)] end}
end

function TYPES.float(low, high)
   return {
      create = function() return parameter(TYPE.DOUBLE, ffi.new("double[1]"), 8) end,
      set = set_number,
      next = function() return low + C.sb_rand_uniform_double() * (high - low) end,
   }
end

-- Random letters, and prose that is the same in all texts: as much of both as zlib leaves the share of.
function TYPES.char(low, high, zlib)
   local share = zlib and math.min(math.max((zlib - OF_PROSE) / (OF_LETTERS - OF_PROSE), 0), 1) or 1
   local function set(place, length)
      local letters = math.floor(length * share + 0.5)
      put_letters(place.buffer, letters)
      ffi.copy(place.buffer + letters, PROSE, length - letters)
      place.data_len[0] = length
   end
   return {
      create = function() return parameter(TYPE.VARCHAR, ffi.new("char[?]", high + 1), high + 1) end,
      set = set,
      next = function() return between(low, high) end,
   }
end

-- Days around today, and moments around now, as they stand in SQL.
local function moments(format, step)
   return function(low, high)
      local now = os.time()
      return {
         create = function() return parameter(TYPE.VARCHAR, ffi.new("char[20]"), 20) end,
         set = function(place, days) set_text(place, os.date(format, now + days * DAY)) end,
         next = function() return between(low * step, high * step) / step end,
      }
   end
end

TYPES.date = moments("!%Y-%m-%d", 1)
TYPES.timestamp = moments("!%Y-%m-%d %H:%M:%S", DAY)

-- Declare a value of a type; what follows are its bounds, or its members.
function sql.variable(name, type, ...)
   variables[#variables + 1] = {name = name, type = type, arguments = {...}, places = {}}
   variables[name] = variables[#variables]
end

-- Where a statement takes a value, more or less an offset.
local function place_of(name, offset)
   local variable = variables[name]
   variable.of = variable.of or TYPES[variable.type](unpack(variable.arguments))
   for _, place in ipairs(variable.places) do
      if place.offset == offset then
         return place
      end
   end
   local place = variable.of.create()
   place.offset = offset
   table.insert(variable.places, place)
   return place
end

local function draw(loop)
   for i = 1, #drawn do
      local variable = drawn[i]
      local value, places = variable.of.next(loop), variable.places
      for k = 1, #places do
         variable.of.set(places[k], value + places[k].offset)
      end
   end
end

-- Statements --------------------------------------------------------------------------------------

local COUNTED = {select = dyno.read, insert = dyno.insert, update = dyno.update, delete = dyno.delete}

-- A statement of the loop; what follows are the values it takes: {name, offset}.
function sql.statement(verb, text, ...)
   written[#written + 1] = {carry_out = COUNTED[verb], text = text, takes = {...}}
end

local function prepare_statements()
   for i, statement in ipairs(written) do
      local places = {}
      for k, taken in ipairs(statement.takes) do
         places[k] = place_of(unpack(taken))
      end
      prepared[i] = {carry_out = statement.carry_out, query = dyno.bound(statement.text, places)}
   end
   for _, variable in ipairs(variables) do
      if variable.of then
         drawn[#drawn + 1] = variable
      end
   end
end

local function carry_out(loop)
   draw(loop)
   for i = 1, #prepared do
      prepared[i].carry_out(prepared[i].query)
   end
end

-- Loops -------------------------------------------------------------------------------------------

local loop -- its number, counted over all threads

-- One loop an event; loops_per_commit of them are one transaction, 0: each statement commits by itself.
function sql.drive(loops_per_commit)
   local held, is_whole = 0, true -- loops of the open transaction, and whether the last one is
   dyno.declare({})

   function dyno.prepare()
      prepare_statements()
      dyno.prepare_transaction()
      loop = sysbench.tid
   end

   local function in_transaction()
      if not dyno.is_open() then
         dyno.begin()
         held = 0
      end
      is_whole = false
      carry_out(loop)
      held, is_whole = held + 1, true
      if held == loops_per_commit then
         dyno.commit()
      end
   end

   function event()
      if loops_per_commit > 0 then
         in_transaction()
      else
         carry_out(loop)
      end
      loop = loop + sysbench.opt.threads
   end

   function dyno.finish() -- before a transaction of that many loops is full
      if is_whole and dyno.is_open() then
         dyno.commit()
      end
   end
end

-- Tables ------------------------------------------------------------------------------------------

local tables = {}

-- A table that a load makes anew: CREATE TABLE without engine and options.
function sql.table(name, text)
   tables[#tables + 1] = {name = name, text = text}
end

local function create_tables()
   local options = sysbench.opt.engine .. " DEFAULT CHARSET=latin1 " .. sysbench.opt.table_options
   for _, each in ipairs(tables) do
      dyno.set_up("DROP TABLE IF EXISTS `" .. each.name .. "`")
      dyno.set_up(each.text .. " ENGINE=" .. options)
   end
end

-- One loop for each row of the plan, many of them one transaction and one event.
function sql.fill(loops_per_commit)
   dyno.declare({
      table_options = {"What CREATE TABLE is told besides the engine", ""},
      rows_before = {"Rows that the tables have already", 0},
   })

   function dyno.prepare()
      if sysbench.opt.rows_before == 0 then
         create_tables()
      end
      prepare_statements()
      dyno.prepare_transaction()
      loop = sysbench.opt.rows_before
   end

   function event()
      local last = math.min(loop + loops_per_commit, sysbench.opt.table_size)
      if loop >= last then
         return true
      end
      dyno.begin()
      for at = loop, last - 1 do
         carry_out(at)
      end
      dyno.commit()
      loop = last
   end
end

return sql
