-- Values of custom SQL that a SELECT ... INTO :name keeps for the statements after it in the loop. Load it before
-- dyno-weights.lua and dyno-sql.lua, which take the functions that send a statement as they are at that moment.
--
-- sysbench 1.0.20 cannot read what a prepared statement returns: such a SELECT is sent as text.

local ffi = require("ffi")
local dyno = require("dyno")

local kept = {}

local TYPE = sysbench.sql.type
local EXACT = 2 ^ 53 -- beyond it Lua has no whole numbers
local LONGEST = 4096 -- bytes of a text

local variables = {} -- by name: the type, and the parameters that take the value

-- Values ------------------------------------------------------------------------------------------

local function parameter(type, buffer, max_len)
   return {
      type = type, buffer = buffer, max_len = max_len,
      data_len = ffi.new("unsigned long[1]", max_len), is_null = ffi.new("char[1]", 1),
   }
end

local function number_of(name, text)
   return tonumber(text) or error(("dyno: :%s is a number, but a row has %q"):format(name, text))
end

local function set_text(place, name, text)
   assert(#text <= LONGEST, ("dyno: a row has %d bytes for :%s, at most %d are kept"):format(#text, name, LONGEST))
   ffi.copy(place.buffer, text, #text)
   place.data_len[0] = #text
end

-- Of each type: a parameter, and how a text of a row is put into it.
local TYPES = {
   int = {
      create = function() return parameter(TYPE.BIGINT, ffi.new("int64_t[1]"), 8) end,
      set = function(place, name, text)
         local value = number_of(name, text)
         local is_exact = value == math.floor(value) and math.abs(value) <= EXACT
         assert(is_exact, ("dyno: :%s is int, but a row has %s"):format(name, text))
         place.buffer[0] = value + place.offset
      end,
   },
   float = {
      create = function() return parameter(TYPE.DOUBLE, ffi.new("double[1]"), 8) end,
      set = function(place, name, text) place.buffer[0] = number_of(name, text) + place.offset end,
   },
   char = {
      create = function() return parameter(TYPE.VARCHAR, ffi.new("char[?]", LONGEST), LONGEST) end,
      set = set_text,
   },
}

-- Declare a value of a type.
function kept.variable(name, type)
   variables[name] = {name = name, type = TYPES[type], places = {}}
end

local function place_of(name, offset)
   local variable = variables[name]
   local place = variable.type.create()
   place.offset = offset
   table.insert(variable.places, place)
   return place
end

-- A text of a row, or nil: NULL, as where there is no row.
local function keep(variable, text)
   for _, place in ipairs(variable.places) do
      place.is_null[0] = text == nil and 1 or 0
      if text ~= nil then
         variable.type.set(place, variable.name, text)
      end
   end
end

-- Statements --------------------------------------------------------------------------------------

-- A statement that takes kept values: {number of the parameter, name, offset}, in their order.
function kept.taking(text, ...)
   return {text = text, takes = {...}}
end

-- A SELECT in parts, with a value between each two; the names of what its first row has; kept values as above.
function kept.into(parts, names, ...)
   return {parts = parts, names = names, takes = {...}}
end

local bound = dyno.bound

function dyno.bound(text, params)
   if type(text) ~= "table" or not text.takes then
      return bound(text, params)
   end
   local all = {unpack(params)}
   for _, taken in ipairs(text.takes) do
      table.insert(all, taken[1], place_of(taken[2], taken[3]))
   end
   if text.parts then
      return {parts = text.parts, names = text.names, params = all}
   end
   return bound(text.text, all)
end

-- A value as it stands in SQL.
local function written(param)
   if param.is_null[0] == 1 then
      return "NULL"
   elseif param.type == TYPE.VARCHAR then
      return "'" .. ffi.string(param.buffer, param.data_len[0]):gsub("['\\]", "%0%0") .. "'"
   end
   return (param.type == TYPE.BIGINT and "%.0f" or "%.17g"):format(tonumber(param.buffer[0]))
end

local function select_into(query)
   local text = query.parts[1]
   for i, param in ipairs(query.params) do
      text = text .. written(param) .. query.parts[i + 1]
   end
   local answer = dyno.connection:query(text)
   dyno.counts.read = dyno.counts.read + answer.nrows
   local row = answer.nrows > 0 and answer:fetch_row() or {}
   for i, name in ipairs(query.names) do
      keep(variables[name], row[i])
   end
   answer:free()
end

local read = dyno.read

function dyno.read(query)
   if query.parts then
      select_into(query)
   else
      read(query)
   end
end

-- Call it after sql.drive: no value is left of the loop before.
function kept.drive()
   local loop = event
   function event(thread_id)
      for _, variable in pairs(variables) do
         keep(variable, nil)
      end
      loop(thread_id)
   end
end

return kept
