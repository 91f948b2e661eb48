#!/usr/bin/env python3
"""Figures that the table of constants in docs/method.md quotes.

    bench/constants.py              by simulation and closed forms (a minute)
    bench/constants.py vary [TEXT]  what the programs below print with each constant that the STUDIES are about, or those
                                    whose file or name contains TEXT, at half and at twice its value (some seconds each)

The programs, which need a build: build/bench/fathom-coverage (confidence intervals), fathom-change-points, and
fathom-decisions (rules where nothing is there and where something is).
"""
import math
import os
import pathlib
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import typing

from support import BUILD

ROOT = pathlib.Path(__file__).resolve().parents[1]
CONSTANT = re.compile(r"(inline |static |)constexpr (double|std::(?:size_t|int64_t)) (\w+) = ([^;]+);")
LITERAL = re.compile(r"[\d.'e-]+( / [\d.]+)?")
SETTING = """
#include <cstdlib>
template <typename T> T fathom_constant(const char* name, T otherwise) {
    const char* text = std::getenv(name);
    return text != nullptr ? static_cast<T>(std::atof(text)) : otherwise;
}
"""


def median_price(count, trials=200_000):
    """Deviation of the median of normal values by that of their mean."""
    medians = (statistics.median([random.gauss(0, 1) for _ in range(count)]) for _ in range(trials))
    return statistics.pstdev(medians, 0) * math.sqrt(count)


def mad_efficiency(count=200, trials=4_000):
    """Relative variance of a standard deviation by that of a scaled median absolute deviation."""
    deviations, mads = [], []
    for _ in range(trials):
        values = [random.gauss(0, 1) for _ in range(count)]
        middle = statistics.median(values)
        deviations.append(statistics.stdev(values))
        mads.append(1.4826 * statistics.median([abs(value - middle) for value in values]))
    return statistics.variance(deviations) / statistics.variance(mads)


def refused_as_warm_up(window, slower=0, trials=4_000, level_z=2.5758):
    """Share of windows that the Mann-Whitney test of their halves takes for warm-up, where the first half is slower."""
    half = window // 2
    deviation = math.sqrt((window + 1) / (12 * half * half))
    refused = 0
    for _ in range(trials):
        values = [random.gauss(1, 0.1) * (1 + slower * (i < half)) for i in range(window)]
        above = sum(a < b for a in values[:half] for b in values[half:]) / half**2
        refused += max(0, abs(above - 0.5) - 0.5 / half**2) / deviation > level_z
    return refused / trials


def launch_levels(count, trials=50_000, gap_by_width=4):
    """Share of normal values that look like two levels: a gap of four times the wider group's width."""
    found = 0
    for _ in range(trials):
        values = sorted(random.gauss(0, 1) for _ in range(count))
        found += any(values[i] - values[i - 1] >= gap_by_width * max(values[i - 1] - values[0], values[-1] - values[i])
                     for i in range(2, count - 1))
    return found / trials


def stopped_too_early(fewest, spread=0.05, precision=0.01, trials=4_000):
    """Share of series at whose end the SKaMPI rule has a mean of the middle half that is off by two standard errors."""
    wrong = 0
    for _ in range(trials):
        values = [random.gauss(1, spread) for _ in range(fewest)]
        while True:
            middle = sorted(values)[len(values) // 4:len(values) - len(values) // 4]
            if len(middle) > 1 and statistics.stdev(middle) / math.sqrt(len(middle)) < precision:
                break
            values.append(random.gauss(1, spread))
        wrong += abs(statistics.mean(middle) - 1) > 2 * precision
    return wrong / trials


def closed_early(noise, least, most, sigmas, steps=20, trials=2_000):
    """Share of flat curves of work that end before their last step, and the excess of the base where times then grow by
    2 % from step to step."""
    threshold = min(most, max(least, 1 + sigmas * noise))

    def base_of(times):
        base = times[0]
        for count, time in enumerate(times[1:], 1):
            if time > base * threshold:
                return base, count
            base += (time - base) / (count + 1)
        return base, len(times)

    flat = [[random.gauss(1, noise) for _ in range(steps)] for _ in range(trials)]
    early = sum(base_of(times)[1] < steps for times in flat) / trials
    excess = statistics.mean(base_of(times + [1.02**i * random.gauss(1, noise) for i in range(1, steps)])[0] - 1
                             for times in flat)
    return f"{100 * early:.1f} % ({100 * excess:+.2f} %)"


def median_shift(disturbed, spread=0.1):
    """By how much a median of log-normal times can move where a share of the repetitions is made longer."""
    return math.exp(spread * statistics.NormalDist().inv_cdf(0.5 / (1 - disturbed))) - 1


def cells_of(table):
    """The cells of all rows of Markdown tables."""
    return [[cell.strip() for cell in line.strip("| \n").split("|")]
            for line in table.splitlines() if line.startswith("|") and "---" not in line]


def coverage_figures(output):
    wrong = cells_of(output.split("Of the intervals given")[0])[1:]
    number = lambda cell: float(cell.split()[0])
    none = lambda cell: float(cell.split("(")[1].rstrip(")")) if "(" in cell else 0
    return (f"wrong at most {max(number(cell) for row in wrong for cell in row[1:]):.1f} %; "
            f"without an interval {none(wrong[0][1]):.1f} % of 20 and {none(wrong[0][2]):.1f} % of 30 independent "
            f"values, {none(wrong[4][4]):.0f} % of 100 of correlation 0.9")


def change_point_figures(output):
    rows = [row for row in cells_of(output)[1:]]
    percent = lambda cell: float(cell.rstrip(" %"))
    found = lambda noise: statistics.mean(percent(row[2]) for row in rows if row[1] == noise and row[2] != "-")
    return (f"found without noise {found('none'):.1f} %, at 1 % {found('1 %'):.1f} %, at 5 % {found('5 %'):.1f} %; "
            f"false positives {statistics.mean(float(row[4]) for row in rows):.1f} per 100 curves; "
            f"{statistics.mean(float(row[5]) for row in rows):.1f} sizes per curve")


class Study(typing.NamedTuple):
    """A program of bench/ that shows what constants decide, and what to say of its output."""
    sources: list  # of src/, whose constants are varied
    program: str
    arguments: list
    figures: typing.Callable = lambda output: output.split(": ", 1)[1].strip()


STUDIES = [
    Study(["stats/effective_sample_size.cpp"], "coverage", ["median"], coverage_figures),
    Study(["stats/change_points/"], "change-points", ["30"], change_point_figures),
    Study(["stats/effective_sample_size.cpp"], "decisions", ["median-errors"]),
    Study(["stats/distributions/modes.cpp"], "decisions", ["modes"]),
    Study(["stats/comparison/scatter.cpp"], "decisions", ["scatter"]),
    Study(["stats/comparison/scatter.cpp"], "decisions", ["comparisons"]),
    Study(["stats/change_points/line_segments.cpp"], "decisions", ["segments"]),
    Study(["analysis/samples/coincidence.cpp"], "decisions", ["slow-repetitions"]),
    Study(["analysis/samples/duplex.cpp"], "decisions", ["duplex"]),
    Study(["analysis/point/outlier_fence.cpp"], "decisions", ["fence"]),
    Study(["analysis/point/processes.cpp"], "decisions", ["groups"]),
    Study(["analysis/point/timeouts.cpp"], "decisions", ["timeouts"]),
    Study(["analysis/curves/scaling", "analysis/curves/anomalies", "analysis/curves/violations"], "decisions", ["anomalies"]),
    Study(["analysis/curves/protocol_boundaries.cpp"], "decisions", ["boundaries"]),
    Study(["analysis/matrix/slow_members.cpp"], "decisions", ["slow"]),
    Study(["analysis/across_runs/comparison.cpp"], "decisions", ["comparisons"]),
]


def adjustable(text, file):
    """A source in which constants take their value from the environment: FILE:NAME, where it is set."""
    def one(match):
        scope, kind, name, value = match.groups()
        if LITERAL.fullmatch(value):
            value = f'fathom_constant<{kind}>("{file}:{name}", {value})'
        return f"{'static inline' if scope == 'static ' else 'static'} const {kind} {name} = {value};"
    return CONSTANT.sub(one, text).replace("constexpr auto ", "const auto ")  # which may be computed from such a constant


def matching(root, places, ending):
    """Files below places of a copy of src/ or of src/ itself."""
    return [path for path in sorted(root.rglob(f"*.{ending}"))
            if any(str(path.relative_to(root)).startswith(place) for place in places)]


def built(tree, study):
    """The study's program with constants that can be set. Only their sources are compiled; the rest is that of the build,
    in whose libraries the linker then finds these functions a second time."""
    (tree / "constant.hpp").write_text(SETTING)
    for path in matching(tree, study.sources, "?pp"):
        path.write_text(adjustable(path.read_text(), path.relative_to(tree)))
    unit = tree / "unit.cpp"
    unit.write_text("".join(f'#include "{path}"\n' for path in matching(tree, study.sources, "cpp")))
    made = tree / "program"
    main = next((BUILD / "bench" / "CMakeFiles" / f"fathom-{study.program}.dir").rglob("*.o"))
    if matching(tree, study.sources, "hpp"):
        main = ROOT / "bench" / study.program.replace("-", "_") / "main.cpp"  # it may use constants of headers too
    subprocess.run(["g++", "-std=c++20", "-O2", "-w", "-Wno-psabi", "-include", str(tree / "constant.hpp"), f"-I{tree}",
                    str(unit), str(main), "-Wl,--allow-multiple-definition", "-Wl,--start-group",
                    *map(str, (BUILD / "src").glob("*.a")), "-Wl,--end-group", "-lfmt", "-lsqlite3", "-lzstd",
                    "-ltomlplusplus", "-lhwloc", "-o", str(made)], check=True)
    return made


def constants_of(places, wanted):
    """(file, name, value, whether it is a whole number) of constants in sources, whose file or name contains a text."""
    for path in matching(ROOT / "src", places, "?pp"):
        file = path.relative_to(ROOT / "src")
        for _, kind, name, value in CONSTANT.findall(path.read_text()):
            if LITERAL.fullmatch(value) and wanted in f"{file} {name}":
                dividend, _, divisor = value.replace("'", "").partition(" / ")
                yield file, name, float(dividend) / float(divisor or 1), kind != "double"


def vary(wanted):
    for study in STUDIES:
        constants = list(constants_of(study.sources, wanted))
        if not constants:
            continue
        with tempfile.TemporaryDirectory() as folder:
            tree = pathlib.Path(folder) / "src"
            shutil.copytree(ROOT / "src", tree)
            made = built(tree, study)

            def result(**settings):
                done = subprocess.run([str(made), *study.arguments], env={**os.environ, **settings}, check=True,
                                      capture_output=True, text=True)
                return study.figures(done.stdout)

            print(f"{study.program} {' '.join(study.arguments)}: {result()}", flush=True)
            for file, name, value, whole in constants:
                for changed in (value / 2, value * 2):
                    shown = f"{max(1, round(changed))}" if whole else f"{changed:g}"
                    print(f"  {file} {name} = {shown}: {result(**{f'{file}:{name}': shown})}", flush=True)


def main():
    if sys.argv[1:2] == ["vary"]:
        vary(" ".join(sys.argv[2:]))
        return
    random.seed(1)
    print("median_price(3 .. 10):", ", ".join(f"{median_price(n):.3f}" for n in range(3, 11)))
    print("least_sample(p50, p90, p99, p99.9):",
          ", ".join(f"{math.log(0.025) / math.log(q):.4g}" for q in (0.5, 0.9, 0.99, 0.999)))
    print(f"efficiency of the median absolute deviation: {mad_efficiency():.2f}")
    print("two levels among normal values (5 .. 9 launches):",
          ", ".join(f"{100 * launch_levels(n):.2f} %" for n in range(5, 10)))
    for slower in (0, 0.1, 0.2):
        print(f"windows of 8, 16, 20, 32 taken for warm-up, first half slower by {100 * slower:.0f} % at a spread of 10 %:",
              ", ".join(f"{100 * refused_as_warm_up(window, slower):.1f} %" for window in (8, 16, 20, 32)))
    print("SKaMPI rule off by two standard errors, from 4, 8, 16 values on:",
          ", ".join(f"{100 * stopped_too_early(fewest):.1f} %" for fewest in (4, 8, 16)))
    for name, limits in {"2 to 5 %, 3 errors": (1.02, 1.05, 3), "least 1 %": (1.01, 1.05, 3), "least 4 %": (1.04, 1.05, 3),
                         "most 3 %": (1.02, 1.03, 3), "most 10 %": (1.02, 1.1, 3), "1.5 errors": (1.02, 1.05, 1.5),
                         "6 errors": (1.02, 1.05, 6)}.items():
        print(f"flat curves of work closed early (excess of the base), {name}, at noise of 0.5, 1 and 2 %:",
              ", ".join(closed_early(noise, *limits) for noise in (0.005, 0.01, 0.02)))
    print("shift of a median with 1, 2, 4 % of the repetitions disturbed, at a spread of 10 %:",
          ", ".join(f"{100 * median_shift(share):.2f} %" for share in (0.01, 0.02, 0.04)))
    print("standard error of a median of 32768, 65536, 131072 times, in percent of the distribution:",
          ", ".join(f"{50 / math.sqrt(count):.2f}" for count in (32768, 65536, 131072)))
    print("rounding of a time of 2, 4, 8 steps of a clock (standard deviation):",
          ", ".join(f"{100 / math.sqrt(12) / steps:.1f} %" for steps in (2, 4, 8)))


if __name__ == "__main__":
    main()
