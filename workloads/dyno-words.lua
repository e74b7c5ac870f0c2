-- The 30 words that text-search asks for, how many documents of a collection hold each, and the table beside
-- the texts that keeps these numbers from the load to the search.

local dyno = require("dyno")

local words = {}

-- In the order of the study, with the numbers of documents that it published.
local PUBLISHED = {
   {"Pietersz", 6}, {"REPORTS", 4011}, {"Shvero", 4}, {"Couret", 2}, {"eburnated", 1}, {"Fison", 1},
   {"Grahovac", 1}, {"Hylorin", 1}, {"functionalized", 4}, {"phase", 6676}, {"Meyers", 157}, {"Lecso", 0},
   {"Tsukamoto", 34}, {"Smogorzewski", 5}, {"Favaro", 1}, {"Germall", 1}, {"microliter", 170},
   {"peroxy", 5}, {"Krakuer", 1}, {"APTTL", 2}, {"jejuni", 60}, {"Heilbrun", 9}, {"athletes", 412},
   {"Odensten", 4}, {"anticomplement", 5}, {"Beria", 1}, {"coliplay", 1}, {"Earlier", 2900},
   {"Gintere", 0}, {"Abdelhamid", 4},
}
local MOST = 6676 -- documents that hold the most frequent one
local SHARE = 0.39 -- of all documents that it may be in: MyISAM finds no word that half of them hold
local CREATE = "CREATE TABLE words%u (n INT NOT NULL PRIMARY KEY, word VARCHAR(30) NOT NULL, " ..
   "documents INT NOT NULL) ENGINE=%s DEFAULT CHARSET=latin1"

local numbers = {} -- by the word in small letters, as the full-text indexes compare it
for i, entry in ipairs(PUBLISHED) do
   numbers[entry[1]:lower()] = i
end

-- Which of the words this is, nil if none.
function words.number_of(token)
   return numbers[token:lower()]
end

function words.text(number)
   return PUBLISHED[number][1]
end

-- The documents that are to hold each word: as published, or in a collection too small for that, all
-- scaled down; but one at the least where the study has found one.
function words.wanted(documents)
   local scale, counts = math.min(1, SHARE * documents / MOST), {}
   for i, entry in ipairs(PUBLISHED) do
      counts[i] = math.max(math.floor(entry[2] * scale), math.min(entry[2], 1))
   end
   return counts
end

-- Numbers to count documents in, all zero.
function words.nothing()
   local counts = {}
   for i = 1, #PUBLISHED do
      counts[i] = 0
   end
   return counts
end

-- Count a document for each of the words that it holds. A word of a full-text index is letters, digits and
-- underscores; the letters with accents are those of latin1.
function words.count(content, counts)
   local seen = {}
   for token in content:gmatch("[%w_\192-\214\216-\246\248-\255]+") do
      local i = words.number_of(token)
      if i and not seen[i] then
         seen[i] = true
         counts[i] = counts[i] + 1
      end
   end
end

-- Keep the numbers of a table of texts beside it.
function words.keep(number, engine, documents, counts)
   local rows = {}
   for i, entry in ipairs(PUBLISHED) do
      if counts[i] * 2 >= documents then
         error(("%d of %d documents hold the word %s, and MyISAM finds no word of half of them: take more rows")
            :format(counts[i], documents, entry[1]), 0)
      end
      rows[i] = ("(%d,'%s',%d)"):format(i, entry[1], counts[i])
   end
   dyno.set_up(CREATE:format(number, engine))
   dyno.set_up(("INSERT INTO words%u VALUES %s"):format(number, table.concat(rows, ",")))
end

-- The words of a table in their order: {text = ..., documents = ...}.
function words.kept(number)
   local found = {}
   for i, row in ipairs(dyno.look_up(("SELECT word, documents FROM words%u ORDER BY n"):format(number))) do
      found[i] = {text = row[1], documents = tonumber(row[2])}
   end
   return found
end

return words
