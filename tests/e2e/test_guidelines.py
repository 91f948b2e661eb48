"""Performance guidelines in simulation, where a bad algorithm and its factor are arithmetic."""

import support
from support import DONE, FathomTest


class Guidelines(FathomTest):
    def measured(self, **algorithms):
        platform = self.write("algorithms.xml", support.platform_with(**algorithms))
        self.run_json("bcast", "scatter", "allgather", "-n", "8", "--sizes", "128k,1M", "--platform", platform,
                      "--reps", "10")
        return self.shown()

    def test_a_linear_bcast_is_slower_than_scatter_and_allgather(self):
        shown = self.measured(smpi__bcast="flattree", smpi__scatter="ompi_basic_linear", smpi__allgather="ring")
        times = {(point["operation"], point["size_bytes"]): point["median_ns"] for point in shown["points"]}
        mib = 1 << 20
        factor = times["bcast", mib] / (times["scatter", mib // 8] + times["allgather", mib // 8])
        self.assertGreater(factor, 2, "seven messages of 1 MiB against some fourteen of 128 KiB")
        found = [each for each in shown["scaling"]["violations"] if each["guideline"] == "bcast <= scatter + allgather"]
        self.assertEqual([each["size_bytes"] for each in found], [mib])
        self.assertAlmostEqual(found[0]["factor"], factor, places=9)
        self.assertAlmostEqual(found[0]["bound_ns"], times["bcast", mib] / factor, places=3)
        self.assertLess(found[0]["p_value"], 0.05)
        text = self.fathom("show", "last", "--scaling", status=DONE).stdout
        self.assertIn(f"bcast, 1 MiB, 8 processes: {factor:.2f} times slower than scatter + allgather", text)

    def test_a_bcast_made_of_scatter_and_allgather_holds(self):
        shown = self.measured(smpi__bcast="scatter_LR_allgather", smpi__scatter="ompi_basic_linear",
                              smpi__allgather="ring")
        found = [each for each in shown["scaling"]["violations"] if each["guideline"] == "bcast <= scatter + allgather"]
        self.assertEqual(found, [])
        self.assertGreater(shown["scaling"]["guidelines_checked"], 0)

    def test_a_message_has_the_rate_and_half_performance_size_of_its_platform(self):
        self.run_json("pingpong", "-n", "2", "--sizes", "1k:16M", "--platform", "pure-16", "--reps", "10")
        shown = self.shown()
        curve = shown["scaling"]["sizes"][0]
        large, smaller = shown["points"][-1], shown["points"][-2]
        slope = (large["median_ns"] - smaller["median_ns"]) / (large["size_bytes"] - smaller["size_bytes"])
        start = large["median_ns"] - slope * large["size_bytes"]
        self.assertAlmostEqual(curve["asymptotic_rate_bytes_per_s"] * slope / 1e9, 1, delta=0.01)
        self.assertAlmostEqual(curve["half_performance_bytes"] * slope / start, 1, delta=0.05)
        self.assertEqual(shown["scaling"]["anomalies"], [])


if __name__ == "__main__":
    support.main()
