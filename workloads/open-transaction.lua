-- One transaction for the whole step: it writes to rows of its own, and is not committed. A server that is killed has to
-- roll all of it back. Its rows are in a table of its own, so that no client waits for their locks.

local dyno = require("dyno")

dyno.declare({})

local ROWS = 100 -- of a statement

local insert

function dyno.prepare()
   dyno.set_up(string.format(
      "CREATE TABLE IF NOT EXISTS open%u (id INT NOT NULL AUTO_INCREMENT PRIMARY KEY, pad CHAR(200) NOT NULL) ENGINE=%s",
      sysbench.tid, sysbench.opt.engine
   ))
   insert = dyno.statement(string.format(
      "INSERT INTO open%u (pad) VALUES ('%s')%s", sysbench.tid, ("x"):rep(200), (",('" .. ("x"):rep(200) .. "')"):rep(ROWS - 1)
   ))
   dyno.prepare_transaction()
   if dyno.is_open() then
      sysbench.hooks.before_restart_event() -- that of a connection that is gone
   end
   dyno.begin()
end

function event()
   insert.handle:execute()
end
