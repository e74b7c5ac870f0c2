"""Sessions that Dyno did not carry out: published tables, the text output of sysbench. Nothing is guessed."""
