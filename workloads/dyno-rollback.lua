-- Transactions of custom SQL that end by chance with ROLLBACK in place of COMMIT.

local dyno = require("dyno")
local C = require("ffi").C

local rollback = {}

-- Of so many of a hundred transactions, on average. As after an error, their rows do not count, unless the engine
-- keeps them.
function rollback.by_chance(percent)
   local commit = dyno.commit
   function dyno.commit()
      if C.sb_rand_uniform_double() * 100 < percent then
         sysbench.hooks.before_restart_event()
      else
         commit()
      end
   end
end

return rollback
