#!/usr/bin/env python3
"""`fathom tree`: files that people write are made, drawn and checked, and every mistake has its line and its fix."""

import xml.etree.ElementTree

import support
from support import BAD_INPUT, DONE, FathomTest

KINDS = ("flat", "binary", "k-ary", "binomial", "chain", "two-level", "three-level", "topology")

BY_HAND = """\
# Two hosts of four ranks each.
[hosts]
a = "0-3"
b = "4-7"

[join.root]
flag = "left"
message = "right"

[join.left]
flag = "0-3"

[join.right]
flag = "4-7"
"""


class Make(FathomTest):
    def test_every_kind_can_be_made_checked_and_shown(self):
        for kind in KINDS:
            with self.subTest(kind):
                file = f"{kind}.toml"
                made = self.fathom("tree", "make", kind, "-n", "12", "--hosts", "4", "--edge", "flag", "-o", file, status=DONE)
                self.assertRegex(made.stdout, rf"\A{file}: {kind}: 12 ranks on 4 hosts, ")
                checked = self.fathom("tree", "check", file, "-n", "12", "--hosts", "w:3,x:3,y:3,z:3", status=DONE)
                self.assertRegex(checked.stdout, rf"\A{file}: no mistakes\. ")
                shown = self.fathom("tree", "show", file, status=DONE)
                self.assertIn("root (rank 0 on host0)\n", shown.stdout)
                self.own_files.add(file)
        self.assert_nothing_left()

    def test_without_a_file_it_is_printed_and_can_be_read_again(self):
        made = self.fathom("tree", "make", "binomial", "-n", "5", "--segment", "64k", status=DONE)
        self.write("b.toml", made.stdout)
        document = self.fathom("tree", "show", "b.toml", "--json", status=DONE).json
        self.assertEqual(document["schema"], "fathom.tree-file/1")
        self.assertEqual((document["name"], document["procs"], document["segment_bytes"]), ("binomial", 5, 65536))
        again = self.fathom("tree", "make", "binomial", "-n", "5", "--segment", "64k", "--json", status=DONE).json
        self.assertEqual(again["toml"], made.stdout)
        self.assertEqual(again["joins"], document["joins"])

    def test_what_does_not_fit_is_refused(self):
        for words, patterns in (
                (("tree",), (r"a subcommand is missing: fathom tree .*make.*show.*check",)),
                (("tree", "mak"), (r"no tree command 'mak'", r"Did you mean 'make'")),
                (("tree", "make"), (r"kind", r"--help")),
                (("tree", "make", "flat"), (r"-n is missing",)),
                (("tree", "make", "binominal", "-n", "4"), (r"no kind of tree 'binominal'", r"Did you mean 'binomial'")),
                (("tree", "make", "flat", "-n", "0"), (r"range",)),
                (("tree", "make", "flat", "-n", "4", "--edge", "flg"), (r"no kind of edge 'flg'", r"Did you mean 'flag'")),
                (("tree", "make", "flat", "-n", "4", "--arity", "2"), (r"no arity to choose; omit --arity",)),
                (("tree", "make", "flat", "-n", "4", "--sites", "2"), (r"no sites; omit --sites",)),
                (("tree", "make", "two-level", "-n", "4"), (r"--hosts 2",)),
                (("tree", "make", "two-level", "-n", "4", "--hosts", "8"), (r"--hosts is \"8\"; 8 hosts for 4 ranks", r"give 1 to 4")),
                (("tree", "make", "two-level", "-n", "4", "--hosts", "a:2"), (r"places for 2 of 4 ranks",)),
                (("tree", "make", "flat", "-n", "4", "--segment", "lots"), (r"--segment: 'lots' is not a size",)),
                (("tree", "make", "flat", "-n", "4", "-o", "no/such/folder.toml"), (r"cannot write no/such", r"-o")),
        ):
            with self.subTest(words):
                self.assert_refused(self.fathom(*words), *patterns)
        self.assert_nothing_left()

    def test_help_has_an_example_and_all_kinds(self):
        for command in ("make", "show", "check"):
            self.assertIn(f"fathom tree {command} ", self.fathom("tree", command, "--help", status=DONE).stdout)
        text = self.fathom("tree", "make", "--help", status=DONE).stdout
        for kind in KINDS:
            self.assertRegex(text, rf"\n  {kind} +\w")


class Show(FathomTest):
    def setUp(self):
        super().setUp()
        self.write("t.toml", BY_HAND)

    def test_a_tree_is_drawn(self):
        shown = self.fathom("tree", "show", "t.toml", status=DONE)
        self.assertEqual(shown.stdout, """\
8 ranks on 2 hosts, 3 joins of up to 4 contributions, height 2
edges: 1 message and 9 flag; ranks in order

root (rank 0 on a)
├─ flag ─ left (rank 0 on a)
│  └─ flag ─ ranks 0-3
└─ message ─ right (rank 4 on b)
   └─ flag ─ ranks 4-7
""")

    def test_it_fits_the_terminal(self):
        self.fathom("tree", "make", "chain", "-n", "64", "-o", "chain.toml", status=DONE)
        for columns in (60, 120):
            shown = self.on_terminal("tree", "show", "chain.toml", streams=("stdout",), columns=columns)
            self.assertEqual(shown.status, DONE, shown)
            drawn = shown.stdout.split("\n\n", 1)[1].splitlines()
            self.assertLessEqual(max(map(len, drawn)), columns)
            self.assertRegex(drawn[-1], r"└─ \.\.\. \d+ more joins and \d+ leaves below")

    def test_an_svg_stands_for_itself(self):
        self.fathom("tree", "make", "two-level", "-n", "64", "--hosts", "8", "-o", "big.toml", status=DONE)
        self.fathom("tree", "show", "big.toml", "--svg", "big.svg", status=DONE)
        root = xml.etree.ElementTree.parse(self.dir / "big.svg").getroot()
        svg = "{http://www.w3.org/2000/svg}"
        self.assertEqual(root.tag, f"{svg}svg")
        self.assertEqual(len(root.findall(f".//{svg}circle")), 64)
        labels = [text.text for text in root.iter(f"{svg}text")]
        for rank in range(64):
            self.assertIn(str(rank), labels)
        rows = sorted(float(circle.get("cy")) for circle in root.iter(f"{svg}circle"))
        self.assertGreaterEqual(min(b - a for a, b in zip(rows, rows[1:])), 12, "rows of text do not overlap")
        self.assertNotIn("href", (self.dir / "big.svg").read_text(encoding="utf-8"))

    def test_json_has_all_of_it(self):
        document = self.fathom("tree", "show", "t.toml", "--json", status=DONE).json
        self.assertEqual({key: document[key] for key in ("schema", "file", "name", "procs", "height", "largest_join", "in_rank_order")},
                         {"schema": "fathom.tree-file/1", "file": "t.toml", "name": "", "procs": 8, "height": 2, "largest_join": 4,
                          "in_rank_order": True})
        self.assertEqual(document["edges"], {"message": 1, "flag": 9, "futex": 0, "condvar": 0})
        self.assertEqual(document["hosts"], [{"host": "a", "ranks": [0, 1, 2, 3]}, {"host": "b", "ranks": [4, 5, 6, 7]}])
        self.assertEqual(document["joins"][0], {"join": "root", "rank": 0, "host": "a", "parent": None, "edge": None})
        self.assertEqual(document["joins"][2], {"join": "right", "rank": 4, "host": "b", "parent": "root", "edge": "message"})
        self.assertEqual(document["leaves"][5], {"rank": 5, "thread": 0, "host": "b", "parent": "right", "edge": "flag"})


class Check(FathomTest):
    def test_a_good_file(self):
        self.write("t.toml", BY_HAND)
        document = self.fathom("tree", "check", "t.toml", "-n", "8", "--json", status=DONE).json
        self.assertEqual((document["schema"], document["fits"], document["procs_checked"], document["hosts_checked"]),
                         ("fathom.tree-file/1", True, True, True))
        self.fathom("tree", "check", "t.toml", "-n", "8", "--hosts", "x:8", status=DONE)

    def test_it_says_what_it_could_not_check(self):
        self.write("t.toml", "[join.root]\nflag = \"0-3\"\n")
        checked = self.fathom("tree", "check", "t.toml", status=DONE)
        self.assertIn("Not checked: whether it fits a job (-n).", checked.stdout)
        self.assertIn("Not checked: whether edges of shared memory stay within a host (--hosts).", checked.stdout)

    def refused(self, text, *patterns, job=("-n", "8")):
        self.write("t.toml", text)
        with self.subTest(patterns):
            result = self.fathom("tree", "check", "t.toml", *job)
            self.assert_refused(result, *patterns)
            self.assertEqual((self.dir / "t.toml").read_text(encoding="utf-8"), text)

    def test_every_kind_of_mistake_has_its_line(self):
        self.refused(BY_HAND.replace("4-7", "4-6"), r"t\.toml:")
        self.refused(BY_HAND.replace('flag = "4-7"', 'flag = "4-6"'), r"t\.toml:4: rank 7 is on host 'b', but contributes to no join|"
                                                                      r"t\.toml:\d+: rank 7 contributes to no join")
        self.refused(BY_HAND.replace('flag = "4-7"', 'flag = "3-7"'), r"t\.toml:14: rank 3 contributes twice, also in line 11")
        self.refused(BY_HAND.replace('message = "right"', 'message = "rigth"'), r"t\.toml:8: no join 'rigth'", r"Did you mean 'right'")
        self.refused(BY_HAND.replace('message = "right"', 'flag = "right"'), r"t\.toml:8")
        self.refused(BY_HAND.replace('flag = "left"\n', ""), r"t\.toml:\d+: join 'left' is listed in no other, and 'root'", r"one root")
        self.refused(BY_HAND.replace('message = "right"', 'futex = "right"'), r"t\.toml:8: a futex edge needs shared memory")
        self.refused(BY_HAND.replace('message = "right"', 'spin = "right"'), r"t\.toml:8: join 'root' has no key 'spin'", r"message, flag, futex")
        self.refused(BY_HAND + 'message = "root"\n', r"t\.toml:\d+: joins contribute to each other in a cycle: ")
        self.refused(BY_HAND + "on = 9\n", r"t\.toml:15: join 'right' is on rank 9, which is out of range")
        self.refused(BY_HAND + 'on = "c"\n', r"t\.toml:15: join 'right' is on host 'c', but no rank is")
        self.refused(BY_HAND + "[join.idle]\n", r"t\.toml:15: join 'idle' has no contributions")
        self.refused("colour = 1\n" + BY_HAND, r"t\.toml:1: no key 'colour'")
        self.refused(BY_HAND + "on = [\n", r"t\.toml:1[56]: ")
        self.refused(BY_HAND + "on = 1.5\n", r"t\.toml:15: 'on' of join 'right' must be a rank")
        self.refused(BY_HAND + "message = true\n", r"t\.toml:15: 'message' has a value of the wrong type")
        self.refused(BY_HAND + 'message = "right"\n', r"t\.toml:15: join 'right' lists itself")
        self.refused(BY_HAND + 'message = "left"\n', r"t\.toml:15: join 'left' contributes twice, also in line 7|"
                                                     r"t\.toml:7: join 'left' contributes twice, also in line 15")
        self.refused(BY_HAND.replace('b = "4-7"', 'b = "3-7"'), r"t\.toml:4: rank 3 is on two hosts, also in line 3")
        self.refused("name = 7\n" + BY_HAND, r"t\.toml:1: 'name' must be a text in quotes")
        self.refused('segment = "lots"\n' + BY_HAND, r"t\.toml:1: 'segment': ")
        self.refused('schema = "fathom.tree-file/9"\n' + BY_HAND, r"t\.toml:1: 'schema' must be")

    def test_a_file_cut_at_any_byte_fits_or_is_refused_with_a_line(self):
        for length in range(len(BY_HAND)):
            self.write("t.toml", BY_HAND[:length])
            result = self.fathom("tree", "check", "t.toml", "-n", "8")
            # Cut within the last line, after its last rank, it is whole.
            if result.status != DONE or BY_HAND[:length].rstrip() != BY_HAND.rstrip():
                with self.subTest(length):
                    self.assert_refused(result, r"t\.toml:\d+: ")

    def test_what_does_not_fit_the_job(self):
        self.refused(BY_HAND, r"t\.toml:14: rank 6 is out of range: the job has 6 ranks", job=("-n", "6"))
        self.refused(BY_HAND, r"t\.toml:6: rank 8 contributes to no join: the job has 9 ranks", job=("-n", "9"))
        self.refused(BY_HAND, r"t\.toml:3: the host list does not fit: ranks 0 and 2 share host 'a'",
                     job=("-n", "8", "--hosts", "x:2,y:6"))
        self.refused(BY_HAND, r"--hosts is \"x:2\"; the host list has places for 2 of 8 ranks", job=("-n", "8", "--hosts", "x:2"))
        self.refused(BY_HAND, r"--hosts is \"x:\"; 'x:' is not a host list", job=("--hosts", "x:"))

    def test_files_that_are_no_trees(self):
        self.assert_refused(self.fathom("tree", "check", "none.toml", "-n", "8"), r"none\.toml: No such file")
        self.write("long.toml", "#" * (5 << 20))
        self.assert_refused(self.fathom("tree", "check", "long.toml"), r"long\.toml: File too large")
        self.assertEqual(self.fathom("tree", "show", ".").status, BAD_INPUT)


if __name__ == "__main__":
    support.main()
