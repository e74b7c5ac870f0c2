-- A connection for each event: connect, read one row by its primary key, close.

local dyno = require("dyno")

dyno.declare({})

local QUERY = "SELECT c FROM sbtest%u WHERE id=%u" -- as text: a prepared one is two statements

local driver

-- The connection that every client begins with is closed: none is open between two events.
function dyno.prepare()
   driver = sysbench.sql.driver()
   dyno.connection:disconnect()
end

function event()
   local connection = driver:connect()
   local answer = connection:query(QUERY:format(dyno.any_table(), dyno.any_id()))
   dyno.counts.read = dyno.counts.read + answer.nrows
   answer:free()
   connection:disconnect()
end

-- One is closed once more at the end of the client.
function dyno.finish()
   dyno.connection = driver:connect()
end
