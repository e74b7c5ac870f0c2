-- The numbers of the accounts: each branch has ten tellers, and as many accounts as the plan has rows. Tellers and
-- accounts of branch 1 come first.

local C = require("ffi").C

local accounts = {TELLERS = 10}

-- A number from 1 to so many, all equally likely.
function accounts.any_of(many)
   return tonumber(C.sb_rand_uniform(1, many))
end

-- The branch of a teller.
function accounts.branch_of(teller)
   return math.ceil(teller / accounts.TELLERS)
end

return accounts
