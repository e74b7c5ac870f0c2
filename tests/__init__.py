"""The tests: what needs no server, real servers, the window, and measures of Dyno itself.

`unit` has the folders of `app` and starts no server; `integration` drives real sshd, servers and sysbench;
`ui` opens pages offscreen, and a real window under Xvfb with mouse and keyboard; `bench` measures Dyno
(docs/measured/benchmarks.md); `fuzz` damages the input of every reader; `data` has files of earlier versions.
Start with `plans` (a target, and plans made for it) and `journals` (made up as an agent would write them);
`fakes` has the slow edges, `installed` finds the MariaDB of this system, `worlds` simulates comparisons of
equals under many kinds of noise. `running` has what runs the tests: `workers` keeps the workers of pytest
apart, `twentieths` selects a part of the long tests for each day, `again` carries out alone what a busy
machine failed, `builds` fetches servers, `covered` measures coverage. `fresh.sh` follows the README on
fresh Debians; `screenshots` makes the pictures of docs/.
"""
