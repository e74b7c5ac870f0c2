-- A payment at a teller: an account, the teller and its branch have the amount more, and a row of the history says so.
-- Whatever clients do at the same time, the sums over all four tables stay equal.

local dyno = require("dyno")
local accounts = require("dyno-accounts")

dyno.declare({remote = {"Percent of the payments to an account of another branch, if there is one", 15}})

local MOST = 999999 -- of an amount, up or down

local add_to_account, read_account, add_to_teller, add_to_branch, add_history

function dyno.prepare()
   dyno.prepare_transaction()
   add_to_account = dyno.statement("UPDATE account SET balance = balance + ? WHERE id = ?", "int", "int")
   read_account = dyno.statement("SELECT balance FROM account WHERE id = ?", "int")
   add_to_teller = dyno.statement("UPDATE teller SET balance = balance + ? WHERE id = ?", "int", "int")
   add_to_branch = dyno.statement("UPDATE branch SET balance = balance + ? WHERE id = ?", "int", "int")
   add_history = dyno.statement(
      "INSERT INTO history (teller_id, branch_id, account_id, delta, made_at, filler) VALUES (?, ?, ?, ?, NOW(), '')",
      "int", "int", "int", "int")
end

-- An account of a branch, or of any other.
local function any_account(branch)
   local branches, size = sysbench.opt.tables, sysbench.opt.table_size
   if branches > 1 and accounts.any_of(100) <= sysbench.opt.remote then
      local other = accounts.any_of(branches - 1)
      branch = other < branch and other or other + 1
   end
   return (branch - 1) * size + accounts.any_of(size)
end

-- Never 0: then an UPDATE would change no row.
local function any_amount()
   local amount = accounts.any_of(MOST)
   return accounts.any_of(2) == 1 and amount or -amount
end

local function add(query, amount, id)
   query[1][0], query[2][0] = amount, id
   dyno.update(query)
end

function event()
   local teller, amount = accounts.any_of(sysbench.opt.tables * accounts.TELLERS), any_amount()
   local branch = accounts.branch_of(teller)
   local account = any_account(branch)
   dyno.begin()
   add(add_to_account, amount, account)
   read_account[1][0] = account
   dyno.read(read_account)
   add(add_to_teller, amount, teller)
   add(add_to_branch, amount, branch)
   local values = add_history
   values[1][0], values[2][0], values[3][0], values[4][0] = teller, branch, account, amount
   dyno.insert(values)
   dyno.commit()
end
