"""Checks which of PyTorch's public names occur in golden cases (torch_cases/*.txt)."""
import json
import pathlib
import re

TESTS = pathlib.Path(__file__).resolve().parents[1]
API = TESTS.parent / "conformance" / "torch_api.json"


def words():
    """The names in cases: `torch.a.b` in full, and attributes of any object, `.b`."""
    full, attributes = set(), set()
    for path in sorted((TESTS / "data" / "torch_cases").glob("*.txt")):
        lines = [line for line in path.read_text().splitlines() if not line.startswith("#")]
        for line in lines:
            full |= set(re.findall(r"\btorch(?:\.\w+)+", line))
            attributes |= set(re.findall(r"\.(\w+)", line))
    return full, attributes


def occurs(name, full, attributes):
    """Whether a case uses the name: a method as an attribute; other names in full, or as a prefix
    of a longer one."""
    space, _, last = name.rpartition(".")
    if space == "torch.Tensor":
        return last in attributes
    return name in full or any(f.startswith(name + ".") for f in full)


def in_scope():
    """The names of torch_api.json in scope."""
    return [row["name"] for row in json.loads(API.read_text()) if not row["out_of_scope"]]
