"""PyTorch's table of promotion, stored: every pair of dtypes, as arrays, as 0-d arrays, and with
Python numbers.

`UPDATE_GOLDEN=1 python test/python/support/torch_promotion.py` rewrites golden/torch_promotion.txt.
Only this needs PyTorch.
"""
import os
import pathlib

FILE = pathlib.Path(__file__).parents[1] / "data" / "golden" / "torch_promotion.txt"
DTYPES = ["bool", "uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64",
          "float16", "bfloat16", "float32", "float64", "complex64", "complex128"]
NUMBERS = {"bool": True, "int": 1, "float": 1.5, "complex": 1j}
# Kinds of the two operands, and the columns of their table.
TABLES = [(a, b, list(NUMBERS) if b == "number" else DTYPES) for a in ("array", "0d") for b in ("array", "0d", "number")]


def operand(xp, kind, name):
    return NUMBERS[name] if kind == "number" else xp.ones(2 if kind == "array" else (), dtype=getattr(xp, name))


def read():
    """{(kind of a, kind of b, a, b): the dtype of the result, or 'error'}"""
    table, kinds, columns = {}, None, None
    for line in FILE.read_text().splitlines():
        if line.startswith("#") or not line:
            continue
        words = line.split()
        if words[1] == "with":
            kinds, columns = (words[0], words[2].rstrip(":")), words[3:]
        else:
            table.update({(*kinds, words[0], b): result for b, result in zip(columns, words[1:], strict=True)})
    return table


def write():
    import torch
    lines = [f"# torch.result_type of PyTorch {torch.__version__}. Made by torch_promotion.py."]

    def result(*operands):
        try:
            return str(torch.result_type(*operands)).removeprefix("torch.")
        except RuntimeError:
            return "error"
    for kind_a, kind_b, columns in TABLES:
        lines += ["", f"{kind_a} with {kind_b}:".ljust(19) + " ".join(c.ljust(10) for c in columns).rstrip()]
        for a in DTYPES:
            results = [result(operand(torch, kind_a, a), operand(torch, kind_b, b)) for b in columns]
            lines.append(a.ljust(19) + " ".join(r.ljust(10) for r in results).rstrip())
    FILE.write_text("\n".join(lines) + "\n")


if __name__ == "__main__" and os.environ.get("UPDATE_GOLDEN"):
    write()
