"""Colours of contenders and verdicts, in window and reports: colour-blind people tell them apart too.

Any two contenders are 12 apart or more (CIEDE2000), also for the three kinds of colour blindness.
"""

# by whether it is dark; neighbours differ in hue, the last and the first too: a plan has them in a row
CONTENDERS = {
    False: ("#064c77", "#e96a0b", "#0a7857", "#2667e8", "#ac8e66", "#379ad9", "#6a6105", "#b85892"),
    True: ("#25b6f7", "#f57c11", "#1aa077", "#647bbe", "#eac47a", "#b7d7ee", "#f8ef1b", "#d38bb3"),
}
# no red and green; a sign is always next to it
VERDICTS = {False: {"better": "#0072b2", "worse": "#d55e00"}, True: {"better": "#56b4e9", "worse": "#f28a3c"}}
# parts of a server in a flame graph, pale so that names on them can be read; each frame names its part
FLAMES = {
    False: (
        "#f4a582",
        "#92c5de",
        "#b8e0b0",
        "#f7d774",
        "#cbb5e2",
        "#f4b6cf",
        "#a8ddd5",
        "#d9c3a5",
        "#c5d86d",
    ),
    True: ("#8c4a2f", "#2c5f7c", "#3c6b3a", "#7a6418", "#5b4685", "#7d3f5b", "#2b6b64", "#6b5639", "#58661f"),
}
# the SQL layer, the kernel, what has no name; and what did not change
FLAME_GREYS = {
    False: ("#ffe3b3", "#c8ccd2", "#e4e4e4", "#efefef"),
    True: ("#5c4d33", "#4b5058", "#3a3a3d", "#3a3a3d"),
}
