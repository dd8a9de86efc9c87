"""The examples of the reference and of the pages: each prints the stated output, also with NumPy if
it uses NumPy's names only. Every public function has one. The programs in README.md and in the
pages run."""
import importlib.util
import os
import pathlib
import re
import subprocess
import sys

import numpy
import pytest

ROOT = pathlib.Path(__file__).parents[3]
sys.path.insert(0, str(ROOT))

from tools.documentation import examples, programs, public_names  # noqa: E402
from torch_np.distributed import run as launcher  # noqa: E402

PAGES = examples.pages()
WITHOUT = dict(line.split(": ", 1) for line in (pathlib.Path(__file__).parent / "names_without_example.txt").read_text().splitlines()[1:])
MARKDOWN = [path for path in sorted((ROOT / "docs").glob("*.md")) if "```pycon" in path.read_text()]
PROGRAMS = [path for path in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))] if programs.programs(path)]
NEEDS_MPI = pytest.mark.skipif(importlib.util.find_spec("mpi4py") is None or launcher.find_mpiexec() is None,
                               reason="needs mpi4py and an mpiexec: pip install 'torch-np[mpi]'")
NEEDS_DASK = pytest.mark.skipif(importlib.util.find_spec("dask") is None, reason="needs Dask: pip install 'torch-np[dask]'")


def report(found):
    return "\n".join(f"{step.source}expected\n{step.want}came\n{got}" for step, got in found)


@pytest.mark.parametrize("page", [p for p in PAGES if p.device == "cpu" and not p.needs], ids=lambda p: p.path.stem)
def test_examples_print_what_they_say(page):
    wrong = [f"{page.path}:{entry.line}:\n{report(found)}" for entry in page.entries
             if (found := list(examples.disagreements(entry.text, examples.namespace())))]
    assert not wrong, "\n".join(wrong)


def test_examples_of_gpus_hold_on_the_emulated_one():
    done = subprocess.run([sys.executable, "-m", "tools.documentation.examples", "--device", "cuda"], cwd=ROOT, capture_output=True,
                          text=True, env={**os.environ, "TORCH_NP_CUDA_EMULATED": "1"})
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("needs", [pytest.param("mpi", marks=NEEDS_MPI), pytest.param("dask", marks=NEEDS_DASK)])
def test_examples_hold_of_what_needs_other_libraries(needs):
    """In a separate process, since MPI can start and end only once per process. Examples for
    several processes are valid for one."""
    done = subprocess.run([sys.executable, "-m", "tools.documentation.examples", "--needs", needs], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def is_numpys(entry):
    """Whether all names in an entry are NumPy's: none of the torch face, and none that begins with
    an underscore."""
    return not re.search(r"\btorch\b|[.(]_\w|\b_device", entry.text)


@pytest.mark.parametrize("page", [p for p in PAGES if p.module.startswith("torch_np.numpy")], ids=lambda p: p.path.stem)
def test_examples_of_numpys_face_are_true_of_numpy(page):
    """Of exceptions, only the class is compared, since our texts name the function."""
    wrong = []
    for entry in filter(is_numpys, page.entries):
        for step, got in examples.disagreements(entry.text, examples.namespace(np=numpy)):
            ours, theirs = (re.search(r"^([\w.]+)(?=: )", text or "", re.MULTILINE) for text in (step.exc_msg, got.partition("...\n")[2]))
            if not (ours and theirs and ours[0] == theirs[0]):
                wrong.append(f"{page.path}:{entry.line}:\n{report([(step, got)])}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.path.stem)
def test_an_example_is_of_the_names_above_it(page):
    if page.needs == "dask":
        pytest.importorskip("dask", reason="needs Dask: pip install 'torch-np[dask]'")
    owner = public_names.get(page.module)
    for entry in page.entries:
        used = {name for name in entry.names if re.search(rf"\.{name}\b", entry.text)}
        for name in set(entry.names) - used:
            value = getattr(owner, name)
            assert any(value is getattr(owner, other) for other in used), f"{page.path}:{entry.line}: {name} is not in its example"


def is_absent(path):
    """Whether the name only raises (torch_np/_absent.py, torch_np/_torch/tensor_absent.py)."""
    return (public_names.get(path).__doc__ or "").startswith(("Raises NotImplementedError: ", "Raises RuntimeError: "))


def test_every_public_name_has_an_example():
    found = examples.by_name()
    lacking = {f"{module}.{name}" for module, names in public_names.everything().items() for name in names
               if name not in found.get(module, {}) and not is_absent(f"{module}.{name}")}
    new, gone = lacking - WITHOUT.keys(), WITHOUT.keys() - lacking
    assert not new, f"without an example in docs/examples: {', '.join(sorted(new))}"
    assert not gone, f"names_without_example.txt names what has an example: {', '.join(sorted(gone))}"
    assert len(WITHOUT) <= 24


def test_a_wrong_output_is_found():
    wrong = ">>> np.add(1, 2)\nnp.int64(4)\n>>> np.sqrt(2.0)\nnp.float64(1.4143)\n>>> np.zeros(2)\narray([0., 0.])\n"
    assert [step.source for step, _ in examples.disagreements(wrong, examples.namespace())] == ["np.add(1, 2)\n", "np.sqrt(2.0)\n"]


@pytest.mark.parametrize("path", MARKDOWN, ids=lambda path: path.stem)
def test_examples_in_pages(path):
    """All blocks of a page in order, since a page is one session."""
    blocks = re.findall(r"^```pycon\n(.*?)^```", path.read_text(), re.MULTILINE | re.DOTALL)
    found = list(examples.disagreements("\n".join(blocks), examples.namespace()))
    assert not found, report(found)


def run_programs(path, folder):
    return subprocess.run([sys.executable, "-m", "tools.documentation.programs", str(path)], cwd=folder, capture_output=True, text=True,
                          env={**os.environ, "PYTHONPATH": str(ROOT)})


@pytest.mark.parametrize("path", [pytest.param(path, id=path.stem, marks={"dask": NEEDS_DASK, "distributed": NEEDS_MPI}.get(path.stem, ()))
                                  for path in PROGRAMS])
def test_programs_in_pages(path, tmp_path):
    """Each page in a separate process and an empty folder, since programs write files."""
    done = run_programs(path, tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr


def test_programs_of_the_readme_are_found():
    assert len(programs.programs(ROOT / "README.md")) == 2


def test_every_block_of_python_is_run():
    """Blocks that begin as a session but are not run need the libraries of the page on operators;
    test_operator_examples.py runs these."""
    sessions = {path.stem for path in (ROOT / "docs").glob("*.md") if "```python\n>>> " in path.read_text()}
    assert sessions == {"operators_of_your_own"}


@pytest.mark.parametrize("line, wrong", [("undefined_name", "NameError"), ("x  # array([0., 0., 1.])", "the value is array([0., 0., 0.])"),
                                         ("x.sum()  # np.float64(1.0)", "the value is np.float64(0.0)")])
def test_a_wrong_program_is_found(line, wrong, tmp_path):
    page = tmp_path / "page.md"
    page.write_text(f"# A page\n\n```python\nimport torch_np.numpy as np\n\nx = np.zeros(3)\nx  # array([0., 0., 0.])\n{line}\n```\n")
    done = run_programs(page, tmp_path)
    assert done.returncode == 1 and wrong in done.stdout
    page.write_text(page.read_text().replace(line, ""))
    assert run_programs(page, tmp_path).returncode == 0
