-- Creates the tables of texts and fills them with documents, made up or those of a collection, one thread a
-- table. Beside each it leaves how many of its documents hold each word that text-search asks for. A thread
-- ends when its tables are full.

local dyno = require("dyno")
local words = require("dyno-words")
local made_texts = require("dyno-made-texts")
local ohsumed = require("dyno-ohsumed")

dyno.declare({
   table_options = {"What CREATE TABLE is told besides the engine", ""},
   collection = {"Files of a collection, a colon between two; none: the documents are made up", ""},
   rows_per_insert = {"Rows of each INSERT", 100},
})

local SCHEMA = "CREATE TABLE texts%u (" ..
   "docid INT NOT NULL, " ..
   "content TEXT, " ..
   "PRIMARY KEY (docid)) ENGINE=%s DEFAULT CHARSET=latin1 %s"
local ESCAPED = {["'"] = "''", ["\\"] = "\\\\", ["\0"] = ""}

local number, full, size
local next_document, counts -- of the table that is being filled

function dyno.prepare()
   size = sysbench.opt.table_size
   number = sysbench.tid + 1 - sysbench.opt.threads
   full = size
end

local function next_table()
   number, full = number + sysbench.opt.threads, 0
   if number > sysbench.opt.tables then
      return false
   end
   dyno.set_up(SCHEMA:format(number, sysbench.opt.engine, sysbench.opt.table_options))
   dyno.seed(number) -- its documents do not depend on the number of threads
   if sysbench.opt.collection == "" then
      next_document, counts = made_texts.open(size)
   else
      next_document, counts = ohsumed.open(sysbench.opt.collection, size)
   end
   return true
end

-- "INSERT ..." of the next documents, up to this one.
local function insert(last)
   local rows = {}
   for docid = full + 1, last do
      rows[#rows + 1] = ("(%d,'%s')"):format(docid, (next_document():gsub("['\\%z]", ESCAPED)))
   end
   return ("INSERT INTO texts%u (docid,content) VALUES %s"):format(number, table.concat(rows, ","))
end

function event()
   if full == size and not next_table() then
      return true -- nothing is left for this thread
   end
   local last = math.min(full + sysbench.opt.rows_per_insert, size)
   local text = insert(last)
   dyno.insert_text(text, #text)
   full = last
   if full == size then
      words.keep(number, sysbench.opt.engine, size, counts)
   end
end
