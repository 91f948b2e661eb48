#!/usr/bin/env python3
"""Figures that the table of constants in docs/method.md quotes.

    bench/constants.py              by simulation and closed forms (a minute)
    bench/constants.py vary [TEXT]  what coverage of intervals and the search for change points become with each
                                    constant of src/stats that they use, or those whose file or name contains TEXT,
                                    at half and at twice its value (half a minute each)

Coverage itself is printed by build/bench/fathom-coverage, change points by build/bench/fathom-change-points.
"""
import math
import pathlib
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
CONSTANT = re.compile(r"constexpr (?:double|std::(?:size_t|int64_t)) (\w+) = ([\d.']+)( / [\d.]+)?;")


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


def refused_as_warm_up(trials=20_000, window=20, level_z=2.5758):
    """Share of independent windows that the Mann-Whitney test of their halves takes for warm-up."""
    half = window // 2
    deviation = math.sqrt((window + 1) / (12 * half * half))
    refused = 0
    for _ in range(trials):
        values = [random.random() for _ in range(window)]
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


# Sources whose constants a program judges, the program, its arguments, and what to say of its output.
STUDIES = [
    ("stats/effective_sample_size.cpp", "coverage", ["median"], coverage_figures),
    ("stats/change_points/", "change_points", [], change_point_figures),
]


def result_of(tree, program, arguments):
    """Builds a program of bench/ from the sources of a tree and runs it."""
    unit = tree / "unit.cpp"
    unit.write_text("".join(f'#include "{path}"\n' for path in sorted((tree / "stats").rglob("*.cpp"))))
    made = tree / program
    subprocess.run(["g++", "-std=c++20", "-O1", "-w", "-Wno-psabi", f"-I{tree}", str(unit),
                    str(ROOT / "bench" / program / "main.cpp"), "-lfmt", "-o", str(made)], check=True)
    return subprocess.run([str(made), *arguments], check=True, capture_output=True, text=True).stdout


def vary(wanted):
    for place, program, arguments, figures in STUDIES:
        with tempfile.TemporaryDirectory() as folder:
            tree = pathlib.Path(folder) / "src"
            shutil.copytree(ROOT / "src", tree)
            print(f"{program}: {figures(result_of(tree, program, arguments))}", flush=True)
            for path in sorted(tree.rglob("*.?pp")):
                file = str(path.relative_to(tree))
                if not file.startswith(place):
                    continue
                text = path.read_text()
                for match in CONSTANT.finditer(text):
                    name = match[1]
                    if wanted not in f"{file} {name}":
                        continue
                    whole = "size_t" in match[0] or "int64_t" in match[0]
                    value = float(match[2].replace("'", "")) / float((match[3] or "/ 1").split()[-1])
                    for changed in (value / 2, value * 2):
                        shown = f"{max(1, round(changed))}" if whole else f"{changed:g}"
                        at = text[:match.start()] + match[0].split(" = ")[0] + f" = {shown};" + text[match.end():]
                        path.write_text(at)
                        print(f"  {file} {name} = {shown}: {figures(result_of(tree, program, arguments))}", flush=True)
                    path.write_text(text)


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
    print(f"stationary windows of 20 taken for warm-up: {100 * refused_as_warm_up():.1f} %")


if __name__ == "__main__":
    main()
