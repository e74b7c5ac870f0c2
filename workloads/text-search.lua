-- Asks for one word after the other, over and over in the same order, each client in a table that it keeps to.
-- The server must count as many documents as were loaded with the word in them: else the step fails.

local dyno = require("dyno")
local words = require("dyno-words")

dyno.declare({})

local QUERY = "SELECT COUNT(*) AS cnt FROM texts%u WHERE MATCH(content) AGAINST('%s')"
local asked, at = nil, 0

function dyno.prepare()
   local number = sysbench.tid % sysbench.opt.tables + 1
   asked = words.kept(number)
   for _, word in ipairs(asked) do
      word.query = QUERY:format(number, word.text)
   end
end

function event()
   at = at % #asked + 1
   local word = asked[at]
   local found = tonumber((dyno.connection:query_row(word.query)))
   dyno.counts.read = dyno.counts.read + 1
   if found ~= word.documents then
      error(("wrong count for the word %s: %d documents were loaded with it, %d are found"):format(
         word.text, word.documents, found), 0)
   end
end
