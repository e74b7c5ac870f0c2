"""The checks of a plan that need nobody on the target: the survey, the rendered presets, the estimate."""

from __future__ import annotations

from app.core.units import bytes_text, count_text, seconds_text
from app.engines import engine_of
from app.planner.estimate.estimate import COUNTS_FIND, PlanEstimate, count_compared_cells, difference_text
from app.planner.request.slicing import servers_at_once, slices_check
from app.planner.resolve.contenders import server_machine_share
from app.planner.resolve.sizes import cache_bytes, server_caches_bytes
from app.planner.resolve.valgrind import contenders_in_force
from app.protocol.answers import FAIL, INFO, PASS, WARN, Check, Survey
from app.protocol.machine_checks import NO_POWER_CUT, POWER_CUT_TODO, machine_checks, program_checks
from app.protocol.plan import ALLOCATORS, OPEN_FILES, Contender, Plan
from app.stats.at_target.verdicts import LEAST
from app.stats.between import ASSUMED
from app.targets.tested_versions import how_tested
from app.variables import RenderedPreset, parse_preset, preset_file, render

from .parity import check_presets
from .rates import rate_checks

SERVER_BYTES = 400 << 20  # of a server, without its caches
THREAD_BYTES = 2 << 20  # of a client thread, on both sides
CLOCK_S = 5.0
OF_THE_MOMENT = ("load", "clock")  # checks that say nothing of a plan that begins later
CALM_SHARE = 0.9  # of the free space: beyond it writes may fill the disk
SMALL_CPUS = 4  # of a machine on which the load generator matters


def check_plan(
    plan: Plan,
    survey: Survey,
    found: PlanEstimate,
    allow_small_disk: bool = False,
) -> list[Check]:
    """All of them; the survey should be fresh, as it holds the load of the target and its clock."""
    return [
        *program_checks(survey),
        *_valgrind(plan, survey),
        *_power_cut(plan, survey),
        _memory(plan, survey),
        *_server_memory(plan, survey),
        *([_disk(found, survey, allow_small_disk)] if found.contenders else []),
        *_open_files(plan, survey),
        *_builds(plan),
        *_engines(plan),
        *_presets(plan, survey),
        *([] if plan.counts else machine_checks(survey)),  # a count is the same at any speed
        _clock(survey),
        *check_presets(contenders_in_force(plan), found.contenders, found.defaults),
        *_repeats(plan, found),
        *_time_box(plan, found),
        *_order(plan),
        *slices_check(plan),
        *_cpus(plan, survey),
        *rate_checks(plan),
    ]


def _valgrind(plan: Plan, survey: Survey) -> list[Check]:
    """What counts instructions; a survey of an older agent does not say whether it is there."""
    if not plan.counts or survey.valgrind is None:
        return []
    if survey.valgrind:
        return [Check("valgrind", PASS, f"valgrind {survey.valgrind}")]
    text = "valgrind, which counts instructions, is not installed on the target"
    return [Check("valgrind", FAIL, text, "install it there: apt-get install valgrind")]


def _power_cut(plan: Plan, survey: Survey) -> list[Check]:
    """Whether a file system can be cut off, as far as the survey knows; the rehearsal tries it."""
    if not plan.on_loop or not survey.power_cut_problem:
        return []
    return [Check("power cut", FAIL, NO_POWER_CUT.format(survey.power_cut_problem), POWER_CUT_TODO)]


# room


def _memory(plan: Plan, survey: Survey) -> Check:
    """Memory of the largest server with its clients; in slices of all servers of a round."""
    clients = plan.most_clients * THREAD_BYTES
    needs = [
        (_caches_bytes(plan, each) + SERVER_BYTES + clients, each.name) for each in plan.started_contenders
    ]
    needed, who = max(needs, default=(clients, ""))
    words, less = f"{who} and its clients" if needs else "the clients", "reduce the caches"
    todo = f"{less} of the my.cnf"
    if not needs:
        less = todo = "choose fewer threads"
    elif servers_at_once(plan) > 1:
        todo += ", or choose the order interleaved, which runs one server at a time"
        needed, who = sum(each for each, _ in needs), ""
        words = f"{count_text(len(needs), 'server')} at once and their clients"
    total = survey.memory_bytes or 0
    available = survey.memory_available_bytes or total
    room = f"{bytes_text(available)} of {bytes_text(total)} available"
    text = f"{bytes_text(needed)} for {words}, {room}"
    if needed > total:
        return Check("memory", FAIL, text, todo, who)
    if needed > available:
        return Check("memory", WARN, text, f"stop programs that use memory, or {less}", who)
    return Check("memory", PASS, text)


def _caches_bytes(plan: Plan, contender: Contender) -> int:
    """Bytes of caches, including separate key caches of tables."""
    own = bool(engine_of(contender.engine).key_cache) and any(step.key_caches for step in plan.steps)
    return server_caches_bytes(contender) + (cache_bytes(contender) if own else 0)


def _server_memory(plan: Plan, survey: Survey) -> list[Check]:
    """Memory settings of contenders; the agent checks what the survey does not know."""
    found = []
    for each in plan.contenders:
        said = (_allocator(each, survey), _numa(each, survey), _memory_limit(plan, each, survey))
        found += [Check("server memory", *one, each.name) for one in said if one]
    return found


def _allocator(contender: Contender, survey: Survey) -> tuple[str, str, str] | None:
    package = ALLOCATORS.get(contender.allocator)
    found = survey.allocators
    if not package or found is None or contender.allocator in found:
        return None
    text = f"the allocator {contender.allocator} is not installed on the target"
    return FAIL, text, f"install {package} (Debian package) on the target, or choose another allocator"


def _numa(contender: Contender, survey: Survey) -> tuple[str, str, str] | None:
    if not contender.numa or survey.allocators is None or survey.numactl:
        return None
    todo = "install numactl on the target, or remove the NUMA policy"
    return FAIL, "numactl is not installed on the target", todo


def _memory_limit(plan: Plan, contender: Contender, survey: Survey) -> tuple[str, str, str] | None:
    """Whether a memory limit is possible and large enough for the server."""
    if not contender.memory_limit:
        return None
    if problem := survey.memory_limit_problem:
        return (
            FAIL,
            f"a memory limit is not possible: {problem}",
            ("remove the limit, or log in to the target as root"),
        )
    needed = _caches_bytes(plan, contender) + plan.most_clients * THREAD_BYTES
    limit = bytes_text(contender.memory_limit)
    text = f"caches and clients need {bytes_text(needed)}, the memory limit is {limit}"
    if needed > contender.memory_limit:
        return FAIL, text, "raise the limit, or reduce the caches of the my.cnf"
    if needed + SERVER_BYTES > contender.memory_limit:
        return WARN, f"{text}: Linux may kill the server", "raise the limit, or reduce the caches"
    if contender.memory_limit >= (survey.memory_bytes or 0):
        return WARN, "the memory limit is not below the memory of the target", "lower the limit, or remove it"
    return PASS, text, ""


def _disk(found: PlanEstimate, survey: Survey, is_allowed: bool) -> Check:
    """Whether the disk is large enough; a failure unless a small disk is allowed."""
    free = survey.disk.free_bytes if survey.disk else None
    if free is None:
        return Check("disk", WARN, "the free space is unknown", "check the directory on the target")
    text = f"about {bytes_text(found.disk_bytes)} needed, {bytes_text(free)} free"
    if found.disk_bytes > free:
        state, todo = (
            WARN if is_allowed else FAIL,
            ("choose fewer rows or a larger disk, or allow a small disk"),
        )
        return Check("disk", state, text, todo)
    if found.disk_bytes > free * CALM_SHARE:
        return Check("disk", WARN, text, "free some space: writes may fill the disk")
    return Check("disk", PASS, text)


def _open_files(plan: Plan, survey: Survey) -> list[Check]:
    """Limits of open files. Dyno raises the server's connections, but only root can raise file limits."""
    most, needed = survey.open_files, plan.most_clients + OPEN_FILES
    if most is None or most >= needed or survey.is_root:
        return []
    text = f"the largest step needs {needed:,} open files, the user on the target may open {most:,}"
    todo = "raise nofile in /etc/security/limits.conf on the target, or choose fewer threads"
    return [Check("open files", FAIL, text, todo)]


def _builds(plan: Plan) -> list[Check]:
    """A warning for each version that was never tried."""
    versions = {how_tested(each.family, each.version): each for each in plan.started_contenders}
    todo = "check the rehearsal and the settings in force of the first session"
    return [
        Check("build", WARN, version.text, todo, contender.name)
        for version, contender in versions.items()
        if not version.is_tried
    ]


def _engines(plan: Plan) -> list[Check]:
    """One check for all engines."""
    engines = (each.engine for each in plan.started_contenders)
    names = dict.fromkeys(each for each in engines if not engine_of(each).has_facts)
    if not names:
        return []
    text = (
        f"Dyno does not know {', '.join(names)}: sizes come from the file system, rows from the server's"
        " handler counters, settling ends with sync, and the estimate is a guess"
    )
    return [Check("engine", WARN, text, "compare its results with care")]


def _presets(plan: Plan, survey: Survey) -> list[Check]:
    """Lines of presets that Dyno changes or drops."""
    found = []
    for each in plan.started_contenders:
        dropped = _rendered(plan, each, survey).dropped
        if dropped:
            lines = "; ".join(f"line {one.line}: {one.option}: {one.reason}" for one in dropped)
            text = f"Dyno changes or drops lines of the my.cnf {each.preset}: {lines}"
            found.append(Check("preset", WARN, text, "remove these lines from the my.cnf", each.name))
    return found


def _rendered(plan: Plan, contender: Contender, survey: Survey) -> RenderedPreset:
    text = plan.files[preset_file(contender.engine, contender.preset)]
    preset = parse_preset(text, contender.preset, contender.engine)
    machine = server_machine_share(survey, contender.cores, contender.memory_limit, servers_at_once(plan))
    return render(preset, contender.family, contender.version, machine)


# the clock


def _clock(survey: Survey) -> Check:
    offset = survey.clock_ahead_s
    if offset is None:
        return Check("clock", WARN, "the clock of the target is unknown", "survey the target again")
    if abs(offset) <= CLOCK_S:
        return Check("clock", PASS, f"the clocks of target and desktop agree to within {CLOCK_S:.0f} s")
    side = "ahead" if offset > 0 else "behind"
    text = f"the clock of the target is {abs(offset):,.0f} s {side}"
    return Check("clock", WARN, text, "set it for correct dates; no result depends on it")


def _time_box(plan: Plan, found: PlanEstimate) -> list[Check]:
    if not 0 < plan.time_box < found.seconds:
        return []
    box = seconds_text(plan.time_box)
    text = f"the time box ends the plan after {box}, and it takes about {found.time_text}"
    return [Check("time box", WARN, text, "choose a longer time box, or fewer steps, seconds or repeats")]


# repeats


def _repeats(plan: Plan, found: PlanEstimate) -> list[Check]:
    """The smallest difference that this number of repeats finds."""
    cells, least = count_compared_cells(plan), found.least
    if not cells:
        return []
    if plan.counts:
        return [_starts(plan)]
    if plan.repeats == 1:
        text = "1 of each gives no verdict: the noise between repeats stays unknown"
        return [Check("repeats", WARN, text, f"choose {LEAST} or more, or until decided")]
    if plan.repeats < LEAST:
        text = f"{plan.repeats} of each cannot separate a difference from noise: no verdict"
        return [Check("repeats", WARN, text, f"choose {LEAST} or more")]
    if 0 < plan.time_limit < found.fewest_s:
        text = f"{seconds_text(plan.time_limit)} rarely suffice for {LEAST} repeats; fewer give no verdict"
        return [Check("repeats", WARN, text, "choose a longer time limit, or none")]
    where = f"in one of {count_text(cells, 'result')}" if cells > 1 else "in the only result"
    count = f"{LEAST} to {plan.repeats}" if plan.until_decided else f"{plan.repeats}"
    if least is None or found.noise is None:
        told = "the first plan will tell"
        if len(plan.started_contenders) == len(plan.contenders):
            told += f", or a calibration of {plan.target}"
        return [
            Check("repeats", INFO, f"which difference {count} of each find is not known here yet: {told}")
        ]
    text = f"{count} of each find a difference of {difference_text(least)} {where} four times in five"
    plans = f" and the machine by {ASSUMED:.0%} between plans" if plan.order == "grouped" else ""
    varies = f"where repeats vary by {found.noise:.1%}, {found.noise_of}"
    return [Check("repeats", PASS, f"{text}, {varies}{plans}")]


def _starts(plan: Plan) -> Check:
    """Counts have the noise of their starts alone."""
    if plan.repeats == 1:
        text = "1 start of each gives no verdict: how far starts are apart stays unknown"
        return Check("repeats", WARN, text, "choose 2 or more")
    return Check("repeats", PASS, f"{plan.repeats} starts of each {COUNTS_FIND}")


def _cpus(plan: Plan, survey: Survey) -> list[Check]:
    """A hint if server and client share few CPUs and could have separate ones."""
    cores = [core for node in survey.topology for core in node]
    cpus = sum(map(len, cores))
    are_given = any(step.cores for step in plan.steps) or any(each.cores for each in plan.contenders)
    if are_given or plan.load or not plan.started_contenders or len(cores) < 2 or cpus > SMALL_CPUS:
        return []
    text = f"server and client share {cpus} CPUs; separate CPUs reduce the noise of a small machine"
    return [Check("cpus", PASS, text)]


def _order(plan: Plan) -> list[Check]:
    """A warning for the order grouped: drift of the machine favours one contender."""
    if plan.order != "grouped" or plan.repeats == 1 or len(plan.contenders) == 1:
        return []
    text = "grouped order (A A B B) compares across time: drift of the machine adds to the differences"
    return [Check("order", WARN, text, "set the order to interleaved (A B B A)")]
