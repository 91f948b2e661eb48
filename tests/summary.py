#!/usr/bin/env python3
"""What a run of the test suite came to, counted by test case.

usage: summary.py FOLDER, which holds ctest.xml (ctest --output-junit), the reports of tests/harness.py and, in unit/, those
of GoogleTest (GTEST_OUTPUT=json:FOLDER/unit/).

A Python file and the unit tests of a room are one test each to CTest: their reports say how many test cases that was. With
CI=true a skip is a failure.
"""
import json
import os
import pathlib
import sys
import xml.etree.ElementTree

SLOWEST = 15  # test cases that are named, since the whole suite has to stay fast


def unit_report(path):
    """A report of GoogleTest in the form of those of the harness, but with the names of the test cases that failed."""
    report = {"file": path.stem, "passed": 0, "failed": [], "skipped": [], "retries": [], "seconds": {}}
    for suite in json.loads(path.read_text(encoding="utf-8"))["testsuites"]:
        for case in suite["testsuite"]:
            name = f"{suite['name']}.{case['name']}"
            report["seconds"][name] = float(case["time"].rstrip("s"))
            if case.get("failures"):
                report["failed"].append(name)
            elif case["result"] == "SKIPPED":
                reason = " ".join(entry["message"] for entry in case.get("skipped", ())).strip().splitlines()
                report["skipped"].append({"test": name, "reason": reason[-1] if reason else "no reason given"})
            elif case["result"] == "COMPLETED":
                report["passed"] += 1
    return report


def main():
    folder = pathlib.Path(sys.argv[1])
    reports = {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in folder.glob("*.json")}
    # The program test_stats is the test unit.stats.
    reports.update({path.stem.replace("test_", "unit.", 1): unit_report(path) for path in (folder / "unit").glob("*.json")})
    passed, failed, skipped, retries, seconds = 0, [], [], [], {}
    for case in xml.etree.ElementTree.parse(folder / "ctest.xml").getroot().iter("testcase"):
        name = case.get("name")
        report = reports.pop(name, None)
        ok = case.get("status") == "run"
        if report is not None:
            passed += report["passed"]
            seconds.update({f"{name} {test}": took for test, took in report["seconds"].items()})
            skipped += [(f"{name} {skip['test']}", skip["reason"]) for skip in report["skipped"]]
            retries += [(f"{name} {retry['test']}", retry["evidence"]) for retry in report["retries"]]
            is_file = isinstance(report["failed"], int)
            cases = [""] * report["failed"] if is_file else report["failed"]
            # A program that was killed or ran into its time limit has failed, whatever it had reported by then. A file that
            # was skipped has not, although CTest may say so.
            if not cases and not ok and not (is_file and report["skipped"]):
                cases = [""]
            failed += [f"{name} {test}".strip() for test in cases]
        elif ok and name.startswith("unit."):
            failed.append(f"{name}: wrote no report")
        elif ok:
            passed += 1
        elif case.find("skipped") is not None:
            skipped.append((name, (case.findtext("system-out") or "").strip().splitlines()[-1:] or "no reason given"))
        else:
            failed.append(name)
    for name, report in sorted(reports.items()):
        failed.append(f"{name}: reported by {report['file']}, unknown to CTest")
    for name in sorted(seconds, key=seconds.get, reverse=True)[:SLOWEST]:
        print(f"slow: {name}: {seconds[name]:.1f} s")
    for name, evidence in retries:
        print(f"retried: {name}: {evidence}")
    for name, reason in skipped:
        print(f"skipped: {name}: {reason}")
    for name in failed:
        print(f"failed: {name}")
    print(f"{len(retries)} retries")
    print(f"{passed} passed, {len(failed)} failed, {len(skipped)} skipped")
    if skipped and os.environ.get("CI") == "true":
        print("With CI=true a skipped test is a failure.")
        sys.exit(1)
    sys.exit(1 if failed or passed == 0 else 0)


if __name__ == "__main__":
    main()
