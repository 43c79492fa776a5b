"""Measurements of choice.py: their file, with a line for each setting of each system, and what they say."""

import csv
import math
from dataclasses import asdict, dataclass, field, fields

import numpy as np

DEFAULT, WITHOUT_DIGITS = "default", "default without digits"
SOLVED, JOINED = "solved", " > "
GOAL, WORST = 1.5, 2.5


@dataclass
class Run:
    """The best run of a setting; outcome says why there is no x, and attempts what was tried, with iterations and reasons."""

    setting: str
    outcome: str
    seconds: float  # build + solve + verify
    build: float = 0
    solve: float = 0
    verify: float = 0
    digits: float = 0  # what the report says, a part of solve
    last: float = 0  # of the last attempt
    read: float = 0
    attempts: str = ""

    @property
    def solved(self):
        return self.outcome == SOLVED

    @property
    def besides(self):
        """Seconds besides the last attempt and digits: looking at the matrix, attempts that failed, the verdict."""
        return self.seconds - self.digits - self.last


@dataclass
class System:
    name: str
    rows: int  # as asked for
    seed: int
    n: int
    nnz: int
    kind: str
    rhs: str
    runs: list[Run] = field(default_factory=list)

    def run(self, setting):
        return next(r for r in self.runs if r.setting == setting)

    @property
    def best(self):
        """The fastest setting by hand; the default without digits if none solves the system in time; None if that does not either."""
        by_hand = [r for r in self.runs if r.solved and not r.setting.startswith("default")]
        return min(by_hand or [r for r in [self.run(WITHOUT_DIGITS)] if r.solved], key=lambda r: r.seconds, default=None)

    def ratio(self, setting):
        """The time of a default by that of the best: infinite if only the best solves the system, nan if nothing does."""
        r = self.run(setting)
        if not self.best:
            return math.nan
        return r.seconds / self.best.seconds if r.solved else math.inf

    @property
    def group(self):
        return "files" if self.seed == 0 else "looked at (odd seeds)" if self.seed % 2 else "not looked at (even seeds)"


ABOUT = [f.name for f in fields(System) if f.name != "runs"]
MEASURED = [f.name for f in fields(Run)]


def add(path, system):
    """Appends a system to a file."""
    new = not path.exists()
    with open(path, "a", newline="", encoding="utf-8") as f:
        out = csv.DictWriter(f, [*ABOUT, *MEASURED], delimiter="\t", lineterminator="\n")
        if new:
            out.writeheader()
        about = {name: getattr(system, name) for name in ABOUT}
        out.writerows({**about, **{k: f"{v:.6f}" if isinstance(v, float) else v for k, v in asdict(r).items()}} for r in system.runs)


def read(path):
    """The systems of a file."""
    systems = {}
    with open(path, newline="", encoding="utf-8") as f:
        for row in csv.DictReader(f, delimiter="\t"):
            about = {f.name: f.type(row[f.name]) for f in fields(System) if f.name != "runs"}
            system = systems.setdefault(tuple(about.values()), System(**about))
            system.runs.append(Run(**{f.name: f.type(row[f.name]) for f in fields(Run)}))
    return list(systems.values())


HEADING = """\
| system | n | b | default, s | without digits, s | best by hand | s | ratio | without digits | besides / best | attempts by default |
|---|---:|---|---:|---:|---|---:|---:|---:|---:|---|"""


def line(s):
    """A row of the table of systems."""
    default, without, best = s.run(DEFAULT), s.run(WITHOUT_DIGITS), s.best
    cells = [f"{s.name} {s.rows}, seed {s.seed}" if s.seed else s.name, s.n, s.rhs]
    cells += [f"{r.seconds:.4f}" if r.solved else r.outcome for r in (default, without)]
    if best:
        figures = s.ratio(DEFAULT), s.ratio(WITHOUT_DIGITS), without.besides / best.seconds
        cells += [best.setting, f"{best.seconds:.4f}", *(f"{v:.2f}" for v in figures)]
    else:
        cells += ["none", "", "", "", ""]
    return "| " + " | ".join(map(str, [*cells, without.attempts or default.attempts])) + " |"


def quantile(values, q):
    return np.quantile(values, q, method="higher") if len(values) else math.nan


def share(values, most):
    return f"{100 * sum(v <= most for v in values) / max(len(values), 1):.0f} %"


def summary(systems):
    """Ratios of each half, and what was chosen where something else was better."""
    text = [
        f"| systems | seconds, by those of the best | solved, of those that any setting solves | median | 95 % | worst | at most {GOAL} | at most {WORST} |",
        "|---|---|---:|---:|---:|---:|---:|---:|",
    ]
    for group in sorted({s.group for s in systems}):
        those = [s for s in systems if s.group == group and s.best]
        rows = {setting: [s.ratio(setting) for s in those] for setting in (DEFAULT, WITHOUT_DIGITS)}
        rows["besides the last attempt"] = [s.run(WITHOUT_DIGITS).besides / s.best.seconds for s in those if s.run(WITHOUT_DIGITS).solved]
        for what, ratios in rows.items():
            figures = [f"{quantile(ratios, q):.2f}" for q in (0.5, 0.95, 1)] + [share(ratios, GOAL), share(ratios, WORST)]
            text.append(f"| {group} | {what} | {sum(r < math.inf for r in ratios)} of {len(those)} | {' | '.join(figures)} |")
    return "\n".join([*text, "", "Chosen, without digits, and what was best, the worst first:", "", *confused(systems)])


def confused(systems):
    """What was chosen in the end, and what was best: how often, and the ratios."""
    pairs = {}
    for s in systems:
        chosen = s.run(WITHOUT_DIGITS)
        if s.best:
            last = chosen.attempts.split(JOINED)[-1].split(" (")[0] if chosen.solved else "not solved"
            pairs.setdefault((last, s.best.setting), []).append(s.ratio(WITHOUT_DIGITS))
    rows = sorted(pairs.items(), key=lambda p: -quantile(p[1], 1))
    yield "| chosen | best | systems | median | worst |"
    yield "|---|---|---:|---:|---:|"
    for (chosen, best), ratios in rows:
        yield f"| {chosen} | {best} | {len(ratios)} | {quantile(ratios, 0.5):.2f} | {quantile(ratios, 1):.2f} |"
