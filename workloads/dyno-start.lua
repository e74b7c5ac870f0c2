-- sysbench 1.0.20 is started with this file in place of the one that DYNO_STARTED names.
--
-- It hands the default values of options to C as pointers into texts that nothing refers to. If Lua collects
-- them before C has copied them, an option without a value on the command line has the default of another one: one
-- in 114 and one in 445 loads began with the second row. Lua has each text only once: here something refers to it.

dofile(assert(os.getenv("DYNO_STARTED"), "dyno: DYNO_STARTED names no file"))

dyno_defaults = {}

for name, definition in pairs(sysbench.cmdline.options or {}) do
   dyno_defaults[name] = tostring(definition[2])
end
