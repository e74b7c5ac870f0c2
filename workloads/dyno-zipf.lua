-- Numbers between 1 and n as Zipf's law has them: k is drawn 1/k^exponent times as often as 1. sysbench
-- 1.0.20 has no such distribution. Drawn by rejection-inversion (Hörmann and Derflinger, 1996): the law lies
-- below a curve whose integral can be inverted, and few of the numbers drawn from that are thrown away.

local C = require("ffi").C

local zipf = {}

-- The integral of x^-exponent, and its inverse.
local function integrals(exponent)
   local rest = 1 - exponent
   if math.abs(rest) < 1e-6 then
      return math.log, math.exp
   end
   local function integral(x)
      return (x ^ rest - 1) / rest
   end
   local function inverse(y)
      return math.max(1 + y * rest, 0) ^ (1 / rest)
   end
   return integral, inverse
end

-- A function that draws numbers between 1 and n.
function zipf.drawn(n, exponent)
   local integral, inverse = integrals(exponent)
   local from, to = integral(1.5) - 1, integral(n + 0.5) -- 1 takes up exactly its own part of the curve
   return function()
      while true do
         local y = to + C.sb_rand_uniform_double() * (from - to)
         local k = math.min(math.max(math.floor(inverse(y) + 0.5), 1), n)
         if y >= integral(k + 0.5) - k ^ -exponent then
            return k
         end
      end
   end
end

return zipf
