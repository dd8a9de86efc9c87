"""The cost of calling a user-defined operator on four elements, compared with the equivalent
built-in operator.

    python benchmarks/operators_of_your_own.py

The libraries are those of examples/operators, built in a temporary folder. Minima of several
rounds, in microseconds. The last column is the time divided by the built-in operator's; for Python
functions, the overhead of a call besides its body.
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile
import timeit

import torch_np
import torch_np.numpy as np

EXAMPLES = pathlib.Path(__file__).parents[1] / "examples/operators"
ROUNDS, CALLS = 9, 50_000


def load_examples() -> None:
    with tempfile.TemporaryDirectory() as folder:
        for name in ("gemm", "gemm_by_schema", "relu"):
            at = pathlib.Path(folder, name)
            shutil.copytree(EXAMPLES / name, at)
            arguments = ["NVCC="] if name == "relu" else []
            subprocess.run(["make", "-s", "-C", str(at), f"PYTHON={sys.executable}", *arguments], check=True)
            library, = at.glob("*.so")
            torch_np.library.load(library)


def body(x):
    return x


@torch_np.library.custom_op("benchmark::pass_on")
def pass_on(x: torch_np.Tensor) -> torch_np.Tensor:
    return made


made = torch_np.ones(4)


def microseconds(statement: str, names: dict[str, object]) -> float:
    return min(timeit.repeat(statement, globals=names, number=CALLS, repeat=ROUNDS)) / CALLS * 1e6


def main() -> None:
    load_examples()
    t, m = torch_np.ones(4), torch_np.ones((2, 2))
    a, n = np.ones(4), np.ones((2, 2))
    ops, numpys = torch_np.ops, np._ops
    names: dict[str, object] = {
        "t": t, "m": m, "a": a, "n": n, "torch_np": torch_np, "relu": ops.my_relu, "gemm": ops.gemm, "my_gemm": ops.my_gemm,
        "np_relu": numpys.my_relu, "np_gemm": numpys.gemm, "np_my_gemm": numpys.my_gemm, "np": np, "pass_on": pass_on,
        "body": body, "builtin_relu": torch_np.relu, "matmul": torch_np.matmul, "np_matmul": np.matmul, "np_maximum": np.maximum,
    }
    rows = [("relu(t), by schema", "relu(t)", "builtin_relu(t)"), ("relu(a) of arrays", "np_relu(a)", "np_maximum(a, 0)"),
            ("gemm(m, m), by schema", "gemm(m, m)", "matmul(m, m)"), ("gemm(n, n) of arrays", "np_gemm(n, n)", "np_matmul(n, n)"),
            ("my_gemm(m, m), REGISTER_OP", "my_gemm(m, m)", "matmul(m, m)"),
            ("my_gemm(n, n) of arrays", "np_my_gemm(n, n)", "np_matmul(n, n)")]
    print(f"{'call':30} {'its own':>8} {'built-in':>9} {'ratio':>6}")
    for name, own, builtin in rows:
        mine, theirs = microseconds(own, names), microseconds(builtin, names)
        print(f"{name:30} {mine:8.3f} {theirs:9.3f} {mine / theirs:6.2f}")
    mine, theirs = microseconds("pass_on(t)", names), microseconds("body(t)", names)
    print(f"{'custom_op of a Python function':30} {mine:8.3f} {theirs:9.3f} {mine - theirs:+6.2f} us over its body")


if __name__ == "__main__":
    main()
