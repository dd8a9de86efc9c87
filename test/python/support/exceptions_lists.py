"""Lists of tests that do not hold somewhere: lines of `file.py name*: reason`, patterns as in a shell."""
import fnmatch
from pathlib import Path

TESTS = Path(__file__).parents[1]


class Exceptions:
    def __init__(self, text):
        lines = text.splitlines()
        entries = [line.partition(":")[::2] for line in lines if line.strip() and not line.lstrip().startswith("#")]
        self.entries = [(pattern.strip(), reason.strip()) for pattern, reason in entries]

    def of(self, nodeid):
        """The entries that name this test."""
        name = nodeid.rpartition("/")[2].replace("::", " ")
        return [entry for entry in self.entries if fnmatch.fnmatchcase(name, entry[0])]

    def dead(self, nodeids):
        """The patterns that name none of these tests, of files that have some among them or that there are not."""
        files = {nodeid.partition("::")[0].rpartition("/")[2] for nodeid in nodeids}
        alive = {pattern for nodeid in nodeids for pattern, _ in self.of(nodeid)}
        return [pattern for pattern, _ in self.entries if pattern not in alive
                and ((file := pattern.split()[0]) in files or not any(TESTS.glob(f"*/{file}")))]


CUDA = Exceptions((TESTS / "cuda_exceptions.txt").read_text())
GPU = Exceptions((TESTS / "gpu_exceptions.txt").read_text())
SANITIZERS = Exceptions((TESTS / "sanitizer_exceptions.txt").read_text())
