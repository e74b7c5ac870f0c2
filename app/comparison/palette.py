"""Colours of contenders and verdicts, in window and reports: colour-blind people tell them apart too."""

# by whether it is dark
CONTENDERS = {
    False: ("#0072b2", "#d55e00", "#008a63", "#b0578d", "#c28500", "#3a9bd9", "#7a6f00", "#6b7280"),
    True: ("#56b4e9", "#f28a3c", "#2fc596", "#de94bd", "#e9b949", "#9fd3f5", "#d6cc4e", "#a7b0ba"),
}
# no red and green; a sign is always beside it
VERDICTS = {False: {"better": "#0072b2", "worse": "#d55e00"}, True: {"better": "#56b4e9", "worse": "#f28a3c"}}
