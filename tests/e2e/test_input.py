#!/usr/bin/env python3
"""Bad input: exit 2, one line that names the place and the fix, nothing on stdout, every file as it was."""

import support
from support import BAD_INPUT, DONE, FathomTest

COMMANDS = ("run", "list", "show", "export", "doctor")


class CommandLine(FathomTest):
    def refused(self, *words, patterns=(), env=None):
        with self.subTest(words):
            self.assert_refused(self.fathom(*words, env=env), *patterns)
            made = [path.name for path in self.dir.iterdir() if path.name not in self.own_files]
            for name in made:
                (self.dir / name).unlink()
            self.assertEqual(made, [], "bad input leaves every file as it was, and makes none")

    def test_unknown_words_are_named_with_the_nearest_known_one(self):
        for words, patterns in (
                (("rnu",), (r"no command 'rnu'", r"Did you mean 'run'")),
                (("raport", "1"), (r"no command 'raport'", r"--help")),
                (("run", "alreduce"), (r"no operation 'alreduce'", r"Did you mean 'allreduce'", r"fathom list ops")),
                (("run", "MPI_Alreduce"), (r"no operation 'MPI_Alreduce'", r"Did you mean 'allreduce'")),
                (("run", "MPI_Put"), (r"'MPI_Put' is not an operation; it is called by put\.fence, put\.pscw, put\.lock and put\.flush",)),
                (("run", "bcast", "barier"), (r"no operation 'barier'", r"Did you mean 'barrier'")),
                (("run", "--sizs", "8"), (r"no option '--sizs'", r"Did you mean '--sizes'", r"fathom run --help")),
                (("run", "--rep=5"), (r"no option '--rep'", r"Did you mean '--reps'")),
                (("show", "--jsn"), (r"no option '--jsn'", r"Did you mean '--json'")),
                (("run", "--preset", "quik"), (r"no preset 'quik'", r"Did you mean 'quick'", r"fathom list presets")),
                (("run", "--platform", "pure-17"), (r"no platform 'pure-17'", r"Did you mean 'pure-16'")),
                (("run", "--mpi", "opnmpi"), (r"'opnmpi'", r"Did you mean 'openmpi'")),
                (("list", "op"), (r"cannot list 'op'", r"Did you mean 'ops'", r"'fathom list' alone")),
                (("doctor", "now"), (r"unexpected argument 'now'",)),
                (("show", "1", "2"), (r"unexpected argument '2'",)),
        ):
            self.refused(*words, patterns=patterns)

    def test_sizes_that_are_none(self):
        for text, pattern in (("8x", r"'8x' is not a size; give bytes such as"), ("-5", r"'-5' is not a size"),
                              ("k", r"'k' is not a size"), ("8..64k", r"write the range as 8:64k"), ("", r"give sizes such as"), (",", r"give"),
                              ("8,,16", r"give"), ("1.5k", r"'1.5k' is not a size"),
                              ("64k:8", r"runs backwards; give the smaller size first"),
                              ("1:2:3:4", r"give FIRST:LAST"), ("1:", r"not a size|FIRST:LAST"), (":8", r"not a size|FIRST:LAST"),
                              ("99999999999999999999", r"too large"), ("9999999T", r"too large"), ("8 16", r"not a size")):
            self.refused("run", "bcast", "--sizes", text, patterns=(r"--sizes is", pattern))

    def test_numbers_out_of_range(self):
        for option, value, pattern in (("-n", "0", r"from 1 to"), ("-n", "-2", r"from 1 to"), ("-n", "two", r"from 1 to"),
                                       ("--reps", "0", r"from 1 to 1000000000"), ("--reps", "many", r"from 1 to"),
                                       ("--reps", "1e3", r"from 1 to"), ("--reps", "10000000000", r"from 1 to"),
                                       ("--warmup", "-1", r"from 0 to"), ("--seed", "-1", r"from 0 to"),
                                       ("--seed", "9" * 30, r"from 0 to"), ("--point-timeout", "0", r"seconds from 1"),
                                       ("--point-timeout", "2s", r"seconds from 1")):
            self.refused("run", "barrier", f"{option}={value}" if option.startswith("--") else f"{option}{value}",
                         patterns=(r"is \"", pattern))

    def test_an_option_without_its_value(self):
        for option in ("-n", "--sizes", "--reps", "--db", "--plan", "--launcher", "--resume"):
            self.refused("run", "barrier", option, patterns=(r"missing|requires?", r"--help"))

    @support.needs("smpi")
    def test_simulation_and_reality_do_not_mix(self):
        self.refused("run", "barrier", "--platform", "pure-16", "-n", "17", patterns=(r"pure-16", r"16 processes", r"17"))
        self.refused("run", "barrier", "--platform", "pure-16", "--mpi", "openmpi", patterns=(r"--mpi smpi or no --platform",))
        self.refused("run", "barrier", "--mpi", "smpi", patterns=(r"needs --platform",))
        self.refused("run", "barrier", "--platform", "mine.xml", patterns=(r"mine\.xml",))
        self.write("odd.xml", "<platform><cluster radical='x'/></platform>")
        self.refused("run", "barrier", "--platform", "odd.xml", patterns=(r"odd\.xml", r"radical is 'x'"))
        self.write("broken.xml", "<platform>\n  <cluster radical='0-3'>\n</platform>")
        self.refused("run", "barrier", "--platform", "broken.xml", patterns=(r"broken\.xml:3: malformed XML",))

    def test_files_that_are_not_there(self):
        self.refused("run", "--plan", "none.toml", patterns=(r"none\.toml: No such file",))
        self.refused("run", "--plan", ".", patterns=(r"directory",))
        self.refused("run", "--collect", "none.journal", patterns=(r"no journal none\.journal",))
        self.refused("show", patterns=(r"no results in fathom\.db yet", r"--db"))
        self.refused("list", "runs", patterns=(r"no results in fathom\.db yet",))
        self.refused("export", "--csv", patterns=(r"no results in fathom\.db yet",))
        self.refused("run", "--resume", "1", patterns=(r"no results in fathom\.db yet",))

    def test_a_result_file_without_a_name(self):
        for words in (("run", "barrier", "--platform", "pure-16", "-n", "2", "--reps", "2", "--quiet"), ("show",), ("list", "runs")):
            self.refused(*words, "--db", "", patterns=(r"--db",))

    def test_contradictions(self):
        self.refused("run", "--resume", "1", "--collect", "x", patterns=(r"exclude each other",))
        self.refused("export", patterns=(r"--csv, --json",))
        self.refused("export", "--csv", "--json", patterns=(r"--csv, --json",))
        self.refused("run", "barrier", "--launcher", "", patterns=(r"give a command such as",))
        self.refused("run", "barrier", "--launcher", "mpirun 'x", patterns=(r"--launcher",))

    @support.needs("smpi")
    def test_runs_that_are_not_there(self):
        for label in ("first", "second"):
            self.run_json("barrier", "--platform", "pure-16", "-n", "2", "--reps", "2", "--label", label)
        before = (self.dir / "fathom.db").read_bytes()
        for words, pattern in ((("show", "99"), r"no run '99'.*has runs 1 to 2.*fathom list runs"),
                               (("show", "frist"), r"no run 'frist'.*Did you mean 'first'"),
                               (("export", "0", "--csv"), r"no run '0'"), (("show", ""), r"no run ''"),
                               (("show", "-1"), r"-1"), (("show", "9" * 40), r"no run"),
                               (("run", "--resume", "99"), r"no run '99'")):
            with self.subTest(words):
                self.assert_refused(self.fathom(*words), pattern)
        self.assertEqual((self.dir / "fathom.db").read_bytes(), before)
        self.assert_nothing_left("fathom.db")

    @support.needs_root
    @support.needs("openmpi")
    def test_open_mpi_as_root_wants_to_be_told(self):
        self.refused("run", "barrier", "--mpi", "openmpi", "-n", "2", patterns=(r"as root", r"--allow-run-as-root"))
        self.refused("run", "barrier", "--mpi", "openmpi", "-n", "2", patterns=(r"--allow-run-as-root",),
                     env={"OMPI_ALLOW_RUN_AS_ROOT": "1"})
        self.fathom("run", "barrier", "--mpi", "openmpi", "-n", "2", "--reps", "3", status=DONE, env=support.may_run_openmpi())
        self.fathom("run", "barrier", "--mpi", "openmpi", "-n", "2", "--reps", "3", "--allow-run-as-root", status=DONE)


class Plans(FathomTest):
    """A plan with every kind of mistake, each on line 3."""

    MISTAKES = (
        ('reps = "many"', r"'reps' is \"many\"; give a number from 1 to 1000000000, or remove the line"),
        ("reps = 0", r"'reps' is 0; give a number from 1"),
        ("reps = 2.5", r"'reps' is 2\.5; give a number from 1"),
        ("reps = true", r"'reps' is true; give a number"),
        ("reps = [1, 2]", r"'reps' is \[1, 2\]; give a number"),
        ("reps = 1979-05-27", r"'reps'"),
        ("reps = {a = 1}", r"'reps'"),
        ("rep = 5", r"no setting 'rep'\. Did you mean 'reps'"),
        ("colour = 'red'", r"no setting 'colour'"),
        ("procs = -1", r"'procs' is -1; give a number from 1"),
        ("warmup = -1", r"'warmup' is -1; give a number from 0"),
        ("seed = -7", r"'seed' is -7; give a number from 0"),
        ("point_timeout_s = 0", r"'point_timeout_s' is 0; give a number of seconds from 1"),
        ("verify = 'yes'", r"'verify' is \"yes\"; give true or false"),
        ("verify = 1", r"'verify' is 1; give true or false"),
        ("sizes = ['8', 'big']", r"'big' is not a size"),
        ("sizes = '1M:8'", r"runs backwards"),
        ("sizes = []", r"give sizes such as"),
        ("sizes = true", r"give sizes such as"),
        ("sizes = [8.5]", r"'sizes'"),
        ("sizes = [-8]", r"'-8' is not a size"),
        ("operations = ['bcast', 'alreduce']", r"no operation 'alreduce'\. Did you mean 'allreduce'"),
        ("operations = []", r"give at least one"),
        ("operations = 3", r"'operations' is 3|no operation '3'"),
        ("preset = 'quik'", r"no preset 'quik'\. Did you mean 'quick'"),
        ("preset = 3", r"'preset' must be a name in quotes"),
        ("schema = 'fathom.plan/99'", r"'schema' must be \"fathom\.plan/1\""),
        ("mpi = 3", r"'mpi' is 3; give a flavour"),
        ("launcher = 3", r"'launcher' is 3; give a command"),
        ("launcher = ''", r"give a command such as"),
        ("label = 3", r"'label' is 3; give a text"),
        ("platform = 3", r"'platform' is 3; give a platform's name"),
        ("reps = ", r"."),
        ("reps = 5 6", r"."),
        ("[[[", r"."),
        ("reps 5", r"."),
        ("label = 'half", r"."),
        ("warmup = 1\nwarmup = 2", r"warmup"),
        ("[extra]\na = 1", r"no setting 'extra'"),
    )

    def test_every_mistake_is_told_with_its_line(self):
        for line, pattern in self.MISTAKES:
            with self.subTest(line):
                self.write("night.toml", f"# a plan\nlabel = 'night'\n{line}\n" if not line.startswith("label")
                           else f"# a plan\n\n{line}\n")
                self.assert_refused(self.fathom("run", "--plan", "night.toml", "--platform", "pure-16"),
                                    r"\Afathom: night\.toml:[34]: ", pattern)
                self.assert_nothing_left()

    def test_a_file_that_is_no_text(self):
        (self.dir / "binary.toml").write_bytes(bytes(range(256)) * 16)
        self.own_files.add("binary.toml")
        self.assert_refused(self.fathom("run", "--plan", "binary.toml"), r"\Afathom: binary\.toml:1: ")
        self.assert_nothing_left()

    def test_values_that_only_fail_with_the_rest_name_no_wrong_line(self):
        self.write("night.toml", "mpi = 'opnmpi'\n")
        self.assert_refused(self.fathom("run", "--plan", "night.toml"), r"Did you mean 'openmpi'")
        self.write("night.toml", "platform = 'pure-16'\nprocs = 17\n")
        self.assert_refused(self.fathom("run", "--plan", "night.toml"), r"16 processes")
        self.assert_nothing_left()

    @support.needs("smpi")
    def test_options_override_the_plan_and_the_plan_its_preset(self):
        self.write("night.toml", "reps = 4\nsizes = [8, '1k']\nplatform = 'pure-16'\nprocs = 3\npreset = 'quick'\n"
                                 "operations = 'bcast'\nlabel = 'from \"plan\"'\n")
        document = self.run_json("--plan", "night.toml", "--reps", "2")
        self.assertEqual(support.points_of(document), [("bcast", 3, 8), ("bcast", 3, 1024)])
        self.assertEqual({point["reps"] for point in document["points"]}, {2})
        self.assertEqual(document["label"], 'from "plan"')


class Help(FathomTest):
    def test_every_command_has_help_with_an_example(self):
        for words in ((), *((command,) for command in COMMANDS)):
            with self.subTest(words):
                result = self.fathom(*words, "--help", status=DONE)
                self.assertRegex(result.stdout, r"(?m)^Example:\n +fathom " + (words[0] if words else ""))
                self.assertEqual(result.stderr, "")

    def test_the_examples_of_help_are_understood(self):
        for command in COMMANDS:
            text = self.fathom(command, "--help", status=DONE).stdout
            example = support.re.search(r"(?m)^Example:\n +fathom (.*)$", text)[1]
            if command in ("list", "doctor"):
                self.assertIn(self.fathom(*example.split()).status, (0, 1))
            elif command != "run":
                self.assertRegex(self.fathom(*example.split()).stderr, r"no results in fathom\.db yet")

    def test_commands_of_the_contract_that_take_json_say_so(self):
        for command in COMMANDS:
            self.assertIn("--json", self.fathom(command, "--help", status=DONE).stdout)

    def test_no_words_at_all_show_help_and_are_wrong_usage(self):
        result = self.fathom(status=BAD_INPUT)
        self.assertEqual(result.stdout, "")
        self.assertIn("Example", result.stderr)

    def test_the_version_is_told(self):
        for option in ("--version", "-V"):
            self.assertRegex(self.fathom(option, status=DONE).stdout, r"^fathom \d+\.\d+\.\d+ \(\S+\)\n$")

    def test_probes_have_help_too(self):
        for flavour in support.flavours(*support.REAL):
            done = support.subprocess.run([str(support.probe(flavour)), "--help"], capture_output=True, text=True,
                                          timeout=30, env=self.environment(), cwd=self.dir)
            self.assertEqual(done.returncode, 0)
            self.assertIn("--collect", done.stdout)


if __name__ == "__main__":
    support.main()
