"""What differs between the columns besides their results: settings, machines, work done.

`verdicts`, `answers` and `texts` call it, and report, command line and Compare.
Start with `differences`; `same_work` tells whether they did the same, `warnings` what to read first.
"""
