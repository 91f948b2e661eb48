"""`fathom export --gnuplot`: every script draws its pictures with plain gnuplot and without messages."""

import shutil
import subprocess
from xml.etree import ElementTree

import support
from support import DONE, FathomTest


class Figures(FathomTest):
    def setUp(self):
        super().setUp()
        if shutil.which("gnuplot") is None:
            self.skipTest("no gnuplot; 'apt install gnuplot-nox' brings it")

    def drawn(self, folder):
        """Runs all scripts of a folder as they are and returns the pictures by name."""
        scripts = sorted(path.name for path in folder.glob("*.gp"))
        for script in scripts:
            done = subprocess.run(["gnuplot", script], cwd=folder, capture_output=True, text=True, timeout=60,
                                  env=self.environment())
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""), script)
        pictures = {path.name: ElementTree.parse(path).getroot() for path in folder.glob("*.svg")}
        for name, picture in pictures.items():
            drawn = [each for each in picture.iter() if each.tag.endswith(("}path", "}use", "}polygon"))]
            self.assertGreater(len(drawn), 5, f"{name} is empty")
        return scripts, pictures

    def test_scripts_do_not_disturb_each_other(self):
        self.run_json("bcast", "-n", "2", "--sizes", "8:1k", "--platform", "pure-16", "--reps", "10")
        folder = self.exported()
        scripts = sorted(path.name for path in folder.glob("*.gp"))
        done = subprocess.run(["gnuplot", *reversed(scripts), *scripts], cwd=folder, capture_output=True, text=True,
                              timeout=60, env=self.environment())
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

    @staticmethod
    def texts(picture):
        return " ".join("".join(each.itertext()) for each in picture.iter() if each.tag.endswith("}text"))

    def exported(self, *words):
        folder = self.dir / "figures"
        result = self.fathom("export", "last", "--gnuplot", folder, *words, status=DONE)
        self.assertEqual(result.stdout, "")
        return folder

    def test_the_classic_figures_are_drawn(self):
        self.run_json("bcast", "barrier", "-n", "2,4", "--sizes", "8:64k", "--platform", "pure-16", "--reps", "20")
        scripts, pictures = self.drawn(self.exported())
        self.assertEqual(scripts, ["distribution.gp", "ecdf.gp", "processes.gp", "rate.gp", "time.gp"])
        points = len(self.shown()["points"])
        self.assertEqual(len(pictures), 2 + 3 * points)
        self.assertIn("bcast, 4 processes", self.texts(pictures["time.svg"]))
        self.assertIn("rate (MB/s)", self.texts(pictures["rate.svg"]))

    def test_a_used_folder_has_only_what_belongs_to_the_run(self):
        self.run_json("bcast", "-n", "2", "--sizes", "8:64k", "--platform", "pure-16", "--reps", "10")
        folder = self.exported()
        (folder / "own.gp").write_text("# the user's\n")
        self.run_json("barrier", "-n", "2", "--platform", "pure-16", "--reps", "10")
        self.exported()
        self.assertEqual(sorted(path.name for path in folder.iterdir()),
                         ["distribution.gp", "ecdf.gp", "own.gp", "point-000.dat", "processes.gp"])

    def test_a_real_run_is_drawn(self):
        flavour = support.a_real_flavour()
        self.run_json("allreduce", *support.options_for(flavour), "-n", "2", "--sizes", "8,64k", "--reps", "200")
        _, pictures = self.drawn(self.exported())
        self.assertIn("time.svg", pictures)
        self.assertIn("processes-000.svg", pictures)
        self.assertIn("allreduce", self.texts(pictures["ecdf-000.svg"]))

    def test_one_point_and_one_process_are_drawn(self):
        self.run_json("barrier", "-n", "1", "--platform", "pure-16", "--reps", "5")
        scripts, _ = self.drawn(self.exported())
        self.assertIn("ecdf.gp", scripts)
        self.assertNotIn("time.gp", scripts, "a barrier has no size")

    def test_a_label_is_text_and_nothing_else(self):
        label = "it's `touch pwned` \"$(touch pwned)\" {/Bold x} <b>&"
        self.run_json("bcast", "-n", "2", "--sizes", "8", "--platform", "pure-16", "--reps", "10", "--label", label)
        folder = self.exported()
        _, pictures = self.drawn(folder)
        self.assertIn(label, self.texts(pictures["time.svg"]))
        self.assertFalse((folder / "pwned").exists())

    def test_bad_input_is_refused(self):
        self.run_json("bcast", "-n", "2", "--sizes", "8", "--platform", "pure-16", "--reps", "10")
        self.write("taken", "")
        self.assert_refused(self.fathom("export", "last", "--gnuplot", "taken"), "cannot create the folder taken")
        self.assert_refused(self.fathom("export", "last", "--gnuplot", "x", "--csv"), "--gnuplot cannot be combined")
        self.assertFalse((self.dir / "x").exists())


if __name__ == "__main__":
    support.main()
