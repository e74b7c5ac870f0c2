"""Colours of contenders and verdicts, in window and reports: colour-blind people tell them apart too.

Any two contenders are 12 apart or more (CIEDE2000), also for the three kinds of colour blindness.
"""

# by whether it is dark
CONTENDERS = {
    False: ("#064c77", "#e96a0b", "#0a7857", "#b85892", "#ac8e66", "#379ad9", "#6a6105", "#2667e8"),
    True: ("#25b6f7", "#f57c11", "#1aa077", "#d38bb3", "#eac47a", "#b7d7ee", "#f8ef1b", "#647bbe"),
}
# no red and green; a sign is always next to it
VERDICTS = {False: {"better": "#0072b2", "worse": "#d55e00"}, True: {"better": "#56b4e9", "worse": "#f28a3c"}}
