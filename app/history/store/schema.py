"""The tables of the history file, as SQL that never changes, and what each later version adds."""

from __future__ import annotations

# Rebuilt from the kept journals; `rebuild` empties these and no others. Children go with their session.
DERIVED = """
CREATE TABLE plan (
    id TEXT PRIMARY KEY,
    hash TEXT NOT NULL,
    content BLOB NOT NULL                       -- packed JSON
) STRICT, WITHOUT ROWID;

CREATE TABLE session (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    plan TEXT NOT NULL REFERENCES plan (id),
    name TEXT NOT NULL,
    ordinal INTEGER NOT NULL,
    repeat INTEGER NOT NULL,
    state TEXT NOT NULL,                        -- waiting active completed failed stopped; lost is derived
    reason TEXT NOT NULL DEFAULT '',
    failed_steps INTEGER NOT NULL DEFAULT 0,
    target TEXT NOT NULL,
    contender TEXT NOT NULL,
    build TEXT NOT NULL,
    family TEXT NOT NULL,
    version TEXT NOT NULL,
    engine TEXT NOT NULL,
    preset TEXT NOT NULL,
    table_options TEXT NOT NULL,
    cores TEXT NOT NULL,
    sequence TEXT NOT NULL,
    contender_key TEXT NOT NULL,
    work_key TEXT NOT NULL,
    machine_key TEXT NOT NULL,
    protocol TEXT NOT NULL,
    agent TEXT NOT NULL DEFAULT '',
    planned_at REAL NOT NULL,
    started_at REAL,
    ended_at REAL,
    ended_t REAL
) STRICT;
CREATE INDEX session_by_time ON session (planned_at, ordinal, id);
CREATE INDEX session_by_keys ON session (contender_key, work_key, machine_key);
-- the list is sorted by when a session began, or was planned to
CREATE INDEX session_by_begin ON session (coalesce(started_at, planned_at), ordinal, id);

CREATE TABLE step (
    number INTEGER PRIMARY KEY,
    session INTEGER NOT NULL REFERENCES session (number) ON DELETE CASCADE,
    position INTEGER NOT NULL,                  -- in the plan
    name TEXT NOT NULL,
    kind TEXT NOT NULL,
    workload TEXT NOT NULL,
    grouping TEXT NOT NULL,
    coordinates TEXT NOT NULL,                  -- JSON, keys sorted
    unit TEXT NOT NULL,
    latency_per TEXT NOT NULL,                  -- query transaction: what one latency is of
    warm INTEGER NOT NULL,
    state TEXT NOT NULL,                        -- waiting active completed failed stopped skipped
    reason TEXT NOT NULL DEFAULT '',
    value REAL,
    queries REAL,
    seconds REAL,
    errors REAL,
    size_bytes REAL,
    row_count REAL,
    p50_ms REAL,
    p95_ms REAL,
    p99_ms REAL,
    per_query TEXT NOT NULL DEFAULT '{}',
    marks TEXT NOT NULL DEFAULT '[]',
    progress TEXT NOT NULL DEFAULT '',          -- the latest, while it is active
    started_t REAL,
    ended_t REAL,
    others TEXT NOT NULL DEFAULT '',            -- JSON of `Others`; empty: not measured
    data_bytes REAL,                            -- of tables and indexes alone
    UNIQUE (session, position)
) STRICT;

CREATE TABLE result (                           -- step_started and step_ended as they came
    step INTEGER PRIMARY KEY REFERENCES step (number) ON DELETE CASCADE,
    started BLOB NOT NULL,
    ended BLOB
) STRICT;

CREATE TABLE series (
    session INTEGER NOT NULL REFERENCES session (number) ON DELETE CASCADE,
    number INTEGER NOT NULL,                    -- 0, 1, ... at first sight
    position INTEGER,                           -- in the samples from now on; null: no longer sampled
    name TEXT NOT NULL,
    unit TEXT NOT NULL,
    kind TEXT NOT NULL,
    direction TEXT NOT NULL,
    label TEXT NOT NULL,
    digits INTEGER NOT NULL,
    PRIMARY KEY (session, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE block (                            -- all values of one series in one step
    step INTEGER NOT NULL REFERENCES step (number) ON DELETE CASCADE,
    series INTEGER NOT NULL,
    content BLOB NOT NULL,
    UNIQUE (step, series)
) STRICT;

CREATE TABLE clock (                            -- the seconds that the blocks of a step share
    step INTEGER PRIMARY KEY REFERENCES step (number) ON DELETE CASCADE,
    s BLOB NOT NULL,
    t BLOB NOT NULL,
    dt BLOB NOT NULL,
    derived TEXT NOT NULL                       -- JSON: which of them are total less intervals
) STRICT;

CREATE TABLE summary (                          -- unused; to drop it would read gigabytes
    step INTEGER NOT NULL REFERENCES step (number) ON DELETE CASCADE,
    series INTEGER NOT NULL,
    n INTEGER NOT NULL,
    mean REAL, sd REAL, low REAL, p50 REAL, p95 REAL, p99 REAL, high REAL,
    PRIMARY KEY (step, series)
) STRICT, WITHOUT ROWID;

CREATE TABLE staging (                          -- the seconds of a step that has not ended
    step INTEGER NOT NULL REFERENCES step (number) ON DELETE CASCADE,
    seq INTEGER NOT NULL,
    s INTEGER NOT NULL,
    t REAL NOT NULL,
    dt REAL NOT NULL,
    derived INTEGER NOT NULL,
    content BLOB NOT NULL,                      -- float64 by number of the series, NaN is missing
    latency TEXT,
    PRIMARY KEY (step, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE fact (
    session INTEGER NOT NULL REFERENCES session (number) ON DELETE CASCADE,
    seq INTEGER NOT NULL,
    name TEXT NOT NULL,
    moment TEXT NOT NULL,
    content BLOB NOT NULL,
    PRIMARY KEY (session, seq)
) STRICT;

CREATE TABLE log (
    session INTEGER NOT NULL REFERENCES session (number) ON DELETE CASCADE,
    seq INTEGER NOT NULL,
    t REAL NOT NULL,
    source TEXT NOT NULL,
    level TEXT NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY (session, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE note (
    session INTEGER NOT NULL REFERENCES session (number) ON DELETE CASCADE,
    seq INTEGER NOT NULL,
    t REAL NOT NULL,
    at REAL NOT NULL,
    step INTEGER NOT NULL,                      -- position, -1: none
    text TEXT NOT NULL,
    PRIMARY KEY (session, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE mark (
    session INTEGER NOT NULL REFERENCES session (number) ON DELETE CASCADE,
    seq INTEGER NOT NULL,
    t REAL NOT NULL,
    step INTEGER NOT NULL,                      -- position, -1: none
    name TEXT NOT NULL,
    value REAL,
    text TEXT NOT NULL,
    PRIMARY KEY (session, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE unknown (                          -- events of a newer minor protocol
    session INTEGER NOT NULL REFERENCES session (number) ON DELETE CASCADE,
    seq INTEGER NOT NULL,
    t REAL NOT NULL,
    kind TEXT NOT NULL,
    content TEXT NOT NULL,
    PRIMARY KEY (session, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE journal (                          -- how far the kept journal has been stored
    session TEXT PRIMARY KEY,
    plan TEXT NOT NULL,
    offset INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    refused TEXT NOT NULL DEFAULT ''            -- a newer protocol: bytes are kept, events are not read
) STRICT, WITHOUT ROWID;

CREATE TABLE latency (                          -- of each second, by the buckets of sysbench
    step INTEGER PRIMARY KEY REFERENCES step (number) ON DELETE CASCADE,
    content BLOB NOT NULL                       -- a line for each second of its clock, see distributions.py
) STRICT;

CREATE TABLE headline (                         -- one QPS for each group of steps
    session INTEGER NOT NULL REFERENCES session (number) ON DELETE CASCADE,
    grouping TEXT NOT NULL,
    qps REAL,                                   -- geometric mean of the steps that have a figure
    n INTEGER NOT NULL,                         -- steps that have one
    steps INTEGER NOT NULL,                     -- of the group
    PRIMARY KEY (session, grouping)
) STRICT, WITHOUT ROWID;
CREATE INDEX headline_by_group ON headline (grouping, qps);

CREATE TABLE counted (                          -- the seconds of a step that count
    step INTEGER PRIMARY KEY REFERENCES step (number) ON DELETE CASCADE,
    seconds INTEGER NOT NULL,                   -- that were measured
    first_s INTEGER,                            -- of those that count; null: all do
    last_s INTEGER,
    reason TEXT NOT NULL,                       -- of the person who cut it
    value REAL,                                 -- that the cut ones come to
    steadiness TEXT NOT NULL,                   -- steady, unsteady, too short to tell
    text TEXT NOT NULL,                         -- why
    max_block_deviation REAL,
    p50_ms REAL,                                -- of the cut ones
    p95_ms REAL,
    p99_ms REAL
) STRICT;

CREATE TABLE uncounted (                        -- sessions that `recounting` counts anew
    session INTEGER PRIMARY KEY REFERENCES session (number) ON DELETE CASCADE
) STRICT;
"""

# What no journal could give back. Sessions are named by id: their derived row may be away for a rebuild.
OWNED = """
CREATE TABLE session_name (session TEXT PRIMARY KEY, name TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE session_tag (session TEXT, tag TEXT, PRIMARY KEY (session, tag)) STRICT, WITHOUT ROWID;
CREATE TABLE session_note (
    number INTEGER PRIMARY KEY, session TEXT NOT NULL, at REAL NOT NULL, text TEXT NOT NULL
) STRICT;
CREATE INDEX session_note_by_session ON session_note (session);
CREATE TABLE cut (                              -- the seconds of a step that count for a person, and why
    number INTEGER PRIMARY KEY, session TEXT NOT NULL, step INTEGER NOT NULL,
    first_s INTEGER NOT NULL, last_s INTEGER NOT NULL, reason TEXT NOT NULL
) STRICT;
CREATE INDEX cut_by_session ON cut (session);
CREATE TABLE colour (contender_key TEXT PRIMARY KEY, colour INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE imported (
    session TEXT PRIMARY KEY, at REAL NOT NULL, source TEXT NOT NULL, sha256 TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE published (
    session TEXT PRIMARY KEY, source TEXT NOT NULL, content TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE link (                             -- the lock of its plan was seen free when this much was read
    session TEXT PRIMARY KEY, unlocked_offset INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE clock_offset (                     -- the target's clock less the desktop's, at each connect
    plan TEXT NOT NULL, at REAL NOT NULL, offset_s REAL NOT NULL, PRIMARY KEY (plan, at)
) STRICT, WITHOUT ROWID;
CREATE TABLE deleted (                          -- a session that does not come back by itself
    session TEXT PRIMARY KEY, plan TEXT NOT NULL, at REAL NOT NULL,
    added TEXT NOT NULL                         -- JSON: its owned rows, for the undo; empty: past undoing
) STRICT, WITHOUT ROWID;
"""

# A team's history: who added what, which of it counts, and how much of each journal the team's server has.
TEAM = """
CREATE TABLE edit (
    author TEXT NOT NULL,                       -- the desktop that made it
    number INTEGER NOT NULL,                    -- 1, 2, ... of that desktop
    clock INTEGER NOT NULL,                     -- logical: later than everything that its author had seen
    at REAL NOT NULL,
    person TEXT NOT NULL,
    subject TEXT NOT NULL,                      -- the session
    kind TEXT NOT NULL,                         -- name tag note cut deleted ...
    item TEXT NOT NULL,                         -- which of that kind: a tag, the position of a step
    value TEXT,                                 -- JSON; null: taken away
    over_author TEXT NOT NULL,                  -- the edit that it replaced; '' and 0: none
    over_number INTEGER NOT NULL,
    PRIMARY KEY (author, number)
) STRICT, WITHOUT ROWID;
CREATE INDEX edit_by_subject ON edit (subject, kind, item);
CREATE TABLE in_force (                         -- the edit that counts
    subject TEXT NOT NULL, kind TEXT NOT NULL, item TEXT NOT NULL,
    author TEXT NOT NULL, number INTEGER NOT NULL,
    is_applied INTEGER NOT NULL,                -- the owned tables say the same
    PRIMARY KEY (subject, kind, item)
) STRICT, WITHOUT ROWID;
CREATE INDEX in_force_waiting ON in_force (is_applied, subject);
CREATE TABLE team_session (
    session TEXT PRIMARY KEY,
    person TEXT NOT NULL,                       -- who brought it to the team
    is_from_team INTEGER NOT NULL,              -- it came from the server, not from a target or a file
    agreed INTEGER NOT NULL,                    -- bytes of the journal that are the same here and there
    chain BLOB NOT NULL,                        -- the hash of these bytes, row by row
    announced TEXT NOT NULL,                    -- hash of the line that the server has of it
    refused TEXT NOT NULL                       -- why it is not shared; empty: it is
) STRICT, WITHOUT ROWID;
CREATE TABLE team_seen (                        -- how far the lists of each author were read
    author TEXT PRIMARY KEY, sessions INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE team (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
"""

OWNED_TABLES = (
    "session_name", "session_tag", "session_note", "cut", "colour",
    "imported", "published", "link", "clock_offset", "deleted",
    "edit", "in_force", "team_session", "team_seen", "team",
)  # fmt: skip

# In the order in which they may be emptied.
DERIVED_TABLES = (
    "uncounted", "counted", "headline", "staging", "summary", "latency", "clock", "block", "series", "result",
    "step", "fact", "log", "note", "mark", "unknown", "session", "plan", "journal",
)  # fmt: skip

# By the version that a file then has: 10 is that of 0.1.0, the first. A new one makes, empties and marks, and
# computes nothing: if it needs figures counted anew, it puts the sessions into `uncounted`.
MIGRATIONS = {10: DERIVED + OWNED + TEAM}
FIRST, VERSION = min(MIGRATIONS), max(MIGRATIONS)
