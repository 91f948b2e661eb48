#!/usr/bin/env python3
"""The rooms of src/: arrows point down, only those that communicate know MPI, and they keep no mutable globals."""
import graphlib
import os
import pathlib
import re
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import harness

SOURCE = pathlib.Path(os.environ.get("FATHOM_SOURCE_DIR", pathlib.Path(__file__).parents[2])) / "src"

# From top to bottom; a room may include itself and rooms further down. The two programs are on one level.
ROOMS = [{"cli", "probe"}, {"collectives"}, {"launch"}, {"report"}, {"tune"}, {"tree"}, {"analysis"}, {"store"}, {"journal"},
         {"plan"}, {"machine"}, {"clock"}, {"stats"}, {"base"}]
LEVEL = {room: level for level, rooms in enumerate(ROOMS) for room in rooms}


def folder(path):
    """The folder of a source, relative to src/: `analysis/point`."""
    return str(path.relative_to(SOURCE).parent)


def sources():
    for path in sorted(SOURCE.rglob("*")):
        if path.suffix in (".cpp", ".hpp", ".def", ".in"):
            yield path, path.relative_to(SOURCE).parts[0], path.read_text()


class Rooms(unittest.TestCase):
    def test_the_known_rooms_are_the_folders(self):
        self.assertEqual({p.name for p in SOURCE.iterdir() if p.is_dir()}, set(LEVEL))

    def test_includes_point_down_only(self):
        wrong = []
        for path, room, text in sources():
            for included in re.findall(r'#include "([a-z_]+)/', text):
                if included != room and LEVEL.get(included, -1) <= LEVEL[room]:
                    wrong.append(f"{path}: {room} includes {included}")
        self.assertEqual(wrong, [])

    def test_folders_within_a_room_do_not_include_each_other_in_circles(self):
        """A folder is understood with those below it. Its order follows from the includes; it is not listed."""
        below = {}
        for path, room, text in sources():
            here = below.setdefault(folder(path), set())
            for included in re.findall(r'#include "((?:[a-z_0-9]+/)+)[a-z_0-9]+\.(?:hpp|def)"', text):
                if included.startswith(f"{room}/") and included[:-1] != folder(path):
                    here.add(included[:-1])
        order = graphlib.TopologicalSorter(below)
        try:
            order.prepare()
        except graphlib.CycleError as error:
            self.fail("circle of folders: " + " <- ".join(error.args[1]))

    def test_no_file_includes_a_source(self):
        """Only the build puts sources together. clang-tidy cannot look for this in batches."""
        self.assertEqual([str(path) for path, _, text in sources() if re.search(r'#include "[^"]*\.cpp"', text)], [])

    def test_every_header_may_be_included_twice(self):
        headers = [path for folder in ("src", "tests", "bench") for path in sorted((SOURCE.parent / folder).rglob("*.hpp"))]
        self.assertGreater(len(headers), 100)
        self.assertEqual([str(path) for path in headers if not path.read_text().startswith("#pragma once\n")], [])

    def test_one_file_includes_the_parser_of_the_command_line(self):
        """It takes seconds to compile."""
        self.assertEqual([path.name for path, _, text in sources() if "#include <CLI/" in text], ["command_line.cpp"])

    def test_one_file_includes_the_library_of_json(self):
        """It makes the library write enumerations by name; without it they would become numbers."""
        self.assertEqual([path.name for path, _, text in sources() if "#include <nlohmann/json.hpp>" in text], ["json.hpp"])

    def test_one_file_includes_the_parser_of_xml(self):
        self.assertEqual([path.name for path, _, text in sources() if "#include <pugixml.hpp>" in text], ["platform.cpp"])

    def test_only_the_probe_and_the_collectives_include_mpi(self):
        self.assertEqual([str(path) for path, room, text in sources()
                          if "<mpi.h>" in text and room not in ("probe", "collectives")], [])

    def test_the_collectives_stand_on_trees_alone(self):
        """They are to be preloaded into programs of users, with as little as possible. Registries (.def) are words without code."""
        wrong = [f"{path}: {included}" for path, room, text in sources() if room == "collectives"
                 for included, ending in re.findall(r'#include "([a-z_]+)/[^"]*\.([a-z]+)"', text)
                 if included not in ("collectives", "tree", "base") and (included, ending) != ("plan", "def")]
        self.assertEqual(wrong, [])

    def test_the_engine_of_the_probe_knows_no_mpi(self):
        """They are driven by fakes in unit tests, so only small interfaces may stand between them and MPI."""
        wrong = [str(path) for path, room, text in sources()
                 if path.parent.name in ("interfaces", "loops", "start", "clock", "agenda") and ("<mpi.h>" in text or '"probe/mpi/' in text)]
        self.assertEqual(wrong, [])

    def test_what_is_simulated_has_no_mutable_globals(self):
        """A thousand simulated ranks share one process."""
        declaration = re.compile(r"^(?:static |inline |thread_local )*(?!using|return|namespace|class|struct|enum|extern)"
                                 r"[A-Za-z_][\w:<>, *&]* [a-z_]\w*(?: = [^;]*|\{[^;]*\})?;$", re.MULTILINE)
        wrong = []
        for path, room, text in sources():
            if room in ("probe", "collectives") and path.suffix == ".cpp":
                wrong += [f"{path}: {match.group(0)}" for match in declaration.finditer(text)
                          if "const" not in match.group(0)]
        self.assertEqual(wrong, [])


if __name__ == "__main__":
    harness.main()
