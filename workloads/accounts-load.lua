-- Creates the tables of accounts and fills them, a branch after the other; each balance is 0, and no history is there.
-- The rows are the same whichever thread it is. A thread ends when its branches are full.

local ffi = require("ffi")
local dyno = require("dyno")
local accounts = require("dyno-accounts")
local C = ffi.C

dyno.declare({
   rows_per_insert = {"Rows of each INSERT", 1000},
   secondary_keys = {"Keys of balances by branch, and of the history by account and by teller", false},
   table_options = {"What CREATE TABLE is told besides the engine", ""},
})

local FILLER = 84 -- characters of a branch, teller or account; of a history row 22
local FORMAT = ("@"):rep(FILLER)

-- Columns and secondary keys; no balance and no sum of them can overflow. A history row is as long as the others of
-- its kind: what its filler holds does not matter.
local TABLES = {
   branch = {"id INT NOT NULL, balance BIGINT NOT NULL, filler CHAR(84) NOT NULL, PRIMARY KEY (id)%s"},
   teller = {
      "id INT NOT NULL, branch_id INT NOT NULL, balance BIGINT NOT NULL, filler CHAR(84) NOT NULL, PRIMARY KEY (id)%s",
      "KEY branch_balance (branch_id, balance)%s",
   },
   account = {
      "id INT NOT NULL, branch_id INT NOT NULL, balance BIGINT NOT NULL, filler CHAR(84) NOT NULL, PRIMARY KEY (id)%s",
      "KEY branch_balance (branch_id, balance)%s",
   },
   history = {
      "id BIGINT NOT NULL AUTO_INCREMENT, teller_id INT NOT NULL, branch_id INT NOT NULL, account_id INT NOT NULL, " ..
         "delta INT NOT NULL, made_at DATETIME NOT NULL, filler CHAR(22) NOT NULL, PRIMARY KEY (id)%s",
      "KEY account (account_id)%s",
      "KEY teller (teller_id)%s",
   },
}

local branch, full, size = 0, 0, 0 -- the branch, and how many of its accounts are there

local function create(name, parts)
   local opt, columns = sysbench.opt, {}
   for i = 1, opt.secondary_keys and #parts or 1 do
      columns[i] = parts[i]:format(dyno.key_comment())
   end
   local text = "CREATE TABLE %s (%s) ENGINE=%s DEFAULT CHARSET=latin1 %s"
   dyno.set_up("DROP TABLE IF EXISTS " .. name)
   dyno.set_up(text:format(name, table.concat(columns, ", "), opt.engine, opt.table_options))
end

-- No client begins its first event before all have prepared theirs.
function dyno.prepare()
   local opt = sysbench.opt
   assert(opt.tables * opt.table_size < 2 ^ 31, "dyno: more than 2,147,483,647 accounts")
   if sysbench.tid == 0 then
      for name, parts in pairs(TABLES) do
         create(name, parts)
      end
   end
   size = opt.table_size
   branch, full = sysbench.tid + 1 - opt.threads, size
end

local buffer = ffi.new("char[?]", FILLER)

local function filler()
   C.sb_rand_str(FORMAT, buffer)
   return ffi.string(buffer, FILLER)
end

-- Rows from `first` to `last`, with one INSERT.
local function insert(head, first, last, row)
   local rows = {}
   for id = first, last do
      rows[#rows + 1] = row(id)
   end
   local text = head .. table.concat(rows, ",")
   dyno.insert_text(text, #text)
end

local function add_branch()
   dyno.seed(branch)
   insert("INSERT INTO branch (id, balance, filler) VALUES ", branch, branch, function(id)
      return ("(%d,0,'%s')"):format(id, filler())
   end)
   local last = branch * accounts.TELLERS
   insert("INSERT INTO teller (id, branch_id, balance, filler) VALUES ", last - accounts.TELLERS + 1, last, function(id)
      return ("(%d,%d,0,'%s')"):format(id, branch, filler())
   end)
end

local function add_accounts()
   local before, many = (branch - 1) * size, math.min(sysbench.opt.rows_per_insert, size - full)
   local first = before + full + 1
   insert("INSERT INTO account (id, branch_id, balance, filler) VALUES ", first, first + many - 1, function(id)
      return ("(%d,%d,0,'%s')"):format(id, branch, filler())
   end)
   full = full + many
end

function event()
   if full < size then
      add_accounts()
      return
   end
   branch, full = branch + sysbench.opt.threads, 0
   if branch > sysbench.opt.tables then
      return true -- nothing is left for this thread
   end
   add_branch()
end
