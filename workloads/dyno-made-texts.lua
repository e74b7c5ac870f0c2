-- Made-up documents, as many as one likes, that the random stream of the thread decides: 30 to 70 words for
-- title, headings and authors, and two times in three an abstract of 100 to 250, as in the collection they stand
-- for. Words are as frequent as Zipf's law has them; the most frequent ones are those of English, which
-- full-text indexes leave out. Among them lie the words that text-search asks for, each in exactly as many
-- documents as it is to be found in.

local ffi = require("ffi")
local C = ffi.C
local words = require("dyno-words")

local texts = {}

local COMMON = "the of and in to a with for was were that by on is as at from this be or an are not it which " ..
   "have has had been between after than these both during no may but"
local VOCABULARY = 50000
local LONGEST, WIDEST = 320, 20 -- words of a document, letters of a word with its blank, at most
local BLANK = 32
local CONSONANTS, VOWELS = "bcdfghjklmnprstvwxyz", "aeiou"
local SYLLABLES = #CONSONANTS * #VOWELS
local APART = 791921 -- has no factor in common with the words of three syllables: each comes once

-- A made-up word of three syllables by its number.
local function spelled(number)
   local parts, rest = {}, number * APART % SYLLABLES ^ 3
   for i = 1, 3 do
      local syllable = rest % SYLLABLES
      local consonant, vowel = math.floor(syllable / #VOWELS) + 1, syllable % #VOWELS + 1
      parts[i] = CONSONANTS:sub(consonant, consonant) .. VOWELS:sub(vowel, vowel)
      rest = math.floor(rest / SYLLABLES)
   end
   return table.concat(parts)
end

-- Words by their rank; none of them is asked for.
local function made_up_words()
   local found, number = {}, 0
   for word in COMMON:gmatch("%a+") do
      found[#found + 1] = word
   end
   while #found < VOCABULARY do
      number = number + 1
      local word = spelled(number)
      if not words.number_of(word) then
         found[#found + 1] = word
      end
   end
   return found
end

local function between(low, high)
   return tonumber(C.sb_rand_uniform(low, high))
end

-- A function that says which of the words asked for a document is to hold. The documents of a word are spread
-- over the collection: one lies in each of as many equal parts of it.
local function spread(documents)
   local wanted, had, next_at = words.wanted(documents), words.nothing(), {}
   local function advance(i)
      local part = documents / wanted[i] -- had[i] of these parts are behind us
      next_at[i] = had[i] < wanted[i] and
         between(math.floor(had[i] * part) + 1, math.floor((had[i] + 1) * part))
      had[i] = had[i] + 1
   end
   for i = 1, #wanted do
      advance(i)
   end
   return function(document)
      local due = {}
      for i = 1, #wanted do
         if next_at[i] == document then
            due[#due + 1] = words.text(i)
            advance(i)
         end
      end
      return due
   end
end

-- Where in a text of so many words each of these lies: {place = word}.
local function placed(due, length)
   local places = {}
   for _, word in ipairs(due) do
      local place = between(1, length)
      while places[place] do
         place = place % length + 1
      end
      places[place] = word
   end
   return places
end

local function any_length()
   local title = between(30, 70)
   return between(1, 3) == 1 and title or title + between(100, 250)
end

-- A function that returns the next document, and the numbers of documents that hold each word.
function texts.open(documents)
   local vocabulary, due_in, document = made_up_words(), spread(documents), 0
   local stretch = math.log(VOCABULARY)
   local text = ffi.new("char[?]", LONGEST * WIDEST)
   local function put(at, word)
      ffi.copy(text + at, word, #word)
      text[at + #word] = BLANK
      return at + #word + 1
   end
   local function next_document()
      document = document + 1
      local due = due_in(document)
      local length, at = math.max(any_length(), #due), 0
      local places = placed(due, length)
      for place = 1, length do
         local rank = math.floor(math.exp(C.sb_rand_uniform_double() * stretch))
         at = put(at, places[place] or vocabulary[rank])
      end
      return ffi.string(text, at - 1)
   end
   return next_document, words.wanted(documents)
end

return texts
