-- Statements whose parameters have names: each execution takes the values of that moment from one table. sysbench
-- 1.0.20 cannot read what a prepared statement returns: a SELECT whose row is used is sent as text.

local ffi = require("ffi")
local dyno = require("dyno")

local named = {value = {}} -- by name

local value = named.value
local places = {} -- the parameters of all statements of this client, by name
local LONGEST = 1024 -- bytes of a text

local TYPE = sysbench.sql.type

local function place(type, buffer, max_len)
   return {
      type = type, buffer = buffer, max_len = max_len,
      data_len = ffi.new("unsigned long[1]", max_len), is_null = ffi.new("char[1]"),
   }
end

-- Of each type: a parameter, and how a value is put into it.
local TYPES = {
   whole = {
      create = function() return place(TYPE.BIGINT, ffi.new("int64_t[1]"), 8) end,
      set = function(its, number) its.buffer[0] = tonumber(number) end,
   },
   decimal = {
      create = function() return place(TYPE.DOUBLE, ffi.new("double[1]"), 8) end,
      set = function(its, number) its.buffer[0] = tonumber(number) end,
   },
   text = {
      create = function() return place(TYPE.VARCHAR, ffi.new("char[?]", LONGEST), LONGEST) end,
      set = function(its, text)
         ffi.copy(its.buffer, text, #text)
         its.data_len[0] = #text
      end,
   },
}

local function place_of(name, types)
   if not places[name] then
      local type = TYPES[types[name] or "whole"]
      places[name] = type.create()
      places[name].set = type.set
   end
   return places[name]
end

-- A prepared statement, with :name for each parameter; types: of those that are no whole numbers.
function named.statement(text, types)
   local names, params = {}, {}
   local prepared = text:gsub(":([%l_]+)", function(name)
      names[#names + 1] = name
      params[#params + 1] = place_of(name, types or {})
      return "?"
   end)
   local query = dyno.bound(prepared, params)
   query.names = names
   return query
end

-- Put the values into a statement that is carried out next.
function named.bind(query)
   for i = 1, #query.names do
      local param = query.params[i]
      param:set(value[query.names[i]])
   end
   return query
end

-- Send a SELECT as text, and keep a row under these names: the first, or the one with a number. False: there is none.
function named.keep(text, names, number)
   local answer = dyno.connection:query((text:gsub(":([%l_]+)", value)))
   dyno.counts.read = dyno.counts.read + answer.nrows
   local row
   for _ = 1, math.min(number or 1, answer.nrows) do
      row = answer:fetch_row()
   end
   answer:free()
   for i, name in ipairs(row and names or {}) do
      value[name] = row[i]
   end
   return row ~= nil
end

return named
