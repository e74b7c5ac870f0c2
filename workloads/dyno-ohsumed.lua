-- Reading a collection of the OHSUMED form. A record is a line `.I number`, then fields, each a line with its
-- letter and the lines of its text: .U .S .M .T .P .W .A. Any of them may be missing. A document is all text of
-- a record: title, abstract, headings, publication type, authors and source, in the order they have in the file.

local words = require("dyno-words")

local ohsumed = {}

local NUMBERS = {U = true} -- fields that hold no text

-- The lines of several files, one after the other, with where each stands.
local function lines_of(paths)
   local next_path = paths:gmatch("[^:]+")
   local path, lines, number
   return function()
      while true do
         local line = lines and lines()
         if line then
            number = number + 1
            return line:gsub("\r$", ""), path .. " line " .. number
         end
         path = next_path()
         if not path then
            lines = nil
            return nil
         end
         lines, number = io.lines(path), 0
      end
   end
end

-- A function that returns the next document, nil behind the last one.
local function documents_of(paths)
   local next_line, parts, field = lines_of(paths), nil, nil
   return function()
      for line, place in next_line do
         local letter = line:match("^%.([USMTPWA])%s*$")
         if line:match("^%.I%s+%d+%s*$") then
            local finished = parts
            parts, field = {}, nil
            if finished then
               return table.concat(finished, "\n")
            end
         elseif not parts then
            error(place .. ": a collection begins with a record, a line like .I 1", 0)
         elseif letter then
            field = letter
         elseif field and not NUMBERS[field] then
            parts[#parts + 1] = line
         end
      end
      local last = parts
      parts = nil
      return last and table.concat(last, "\n")
   end
end

-- A function that returns the next document, and the numbers of documents read that hold each word.
function ohsumed.open(paths, wanted)
   local next_document, counts, read = documents_of(paths), words.nothing(), 0
   return function()
      local content = next_document()
      if not content then
         error(("the collection has %d documents, %d are wanted: take fewer rows"):format(read, wanted), 0)
      end
      read = read + 1
      words.count(content, counts)
      return content
   end, counts
end

return ohsumed
