"""From a request to a complete plan that runs.

From the bottom: `request` (what a person asks for), `resolve` (the plan), `estimate` (its time and disk),
`checks` (what is wrong with it), `kinds` (plans made from something else), `starting`. No room imports
one behind it in this list. Command line, window, explaining and following call it; comparison asks
`checks.parity`.
Start with `request.request` (every option of a plan), then `resolve.resolve` and `starting.launch`.
"""
