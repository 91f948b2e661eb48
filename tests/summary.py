#!/usr/bin/env python3
"""What a run of the test suite came to, counted by test case.

usage: summary.py FOLDER, which holds ctest.xml (ctest --output-junit) and the reports of tests/harness.py.

A Python file is one test to CTest: its report says how many test cases that was. With CI=true a skip is a failure.
"""
import json
import os
import pathlib
import sys
import xml.etree.ElementTree


def main():
    folder = pathlib.Path(sys.argv[1])
    reports = {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in folder.glob("*.json")}
    passed, failed, skipped, retries = 0, [], [], []
    for case in xml.etree.ElementTree.parse(folder / "ctest.xml").getroot().iter("testcase"):
        name = case.get("name")
        report = reports.pop(name, None)
        ok = case.get("status") == "run"
        if report is not None:
            passed += report["passed"]
            skipped += [(f"{name} {skip['test']}", skip["reason"]) for skip in report["skipped"]]
            retries += [(f"{name} {retry['test']}", retry["evidence"]) for retry in report["retries"]]
            # A file that was killed or ran into its time limit has failed, whatever it had reported by then.
            failed += [name] * max(report["failed"], 0 if ok or report["skipped"] else 1)
        elif ok:
            passed += 1
        elif case.find("skipped") is not None:
            skipped.append((name, (case.findtext("system-out") or "").strip().splitlines()[-1:] or "no reason given"))
        else:
            failed.append(name)
    for name, report in sorted(reports.items()):
        failed.append(f"{name}: reported by {report['file']}, unknown to CTest")
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
