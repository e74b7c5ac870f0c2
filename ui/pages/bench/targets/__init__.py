"""The targets: adding, editing, surveying; their builds, snapshots and canaries.

The page of Bench shows `panel`; the way from Run to a plan asks it for the chosen target.
Start with `panel`, then `known` (what is known of each target) and `surveying` (going there off the GUI
thread, past host keys). `editor` has the table of the fields of a target; `builds` installs and removes
builds.
"""
