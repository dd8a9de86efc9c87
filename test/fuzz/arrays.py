"""Arrays of a random call, as source: small values written out, in every dtype and layout."""
from __future__ import annotations

from random import Random

DTYPES = ["f8"] * 10 + ["f4"] * 4 + ["i8"] * 5 + ["i4"] * 2 + ["?"] * 3 + ["u1", "u1", "i1", "i2", "u2", "u4", "u8", "f2", "c16", "c16", "c8"]
INTEGER_DTYPES = ["i8", "i8", "i4", "u1", "i1", "u4", "i2"]
BASE_SHAPES = [(2, 3)] * 5 + [(3,)] * 4 + [(4,), (3, 3), (3, 3), (2, 3, 4), (1,), (5,), (2, 1), (12,), (7,), (2, 2, 2), (), (0,), (2, 0), (1, 3), (0, 3)]
# Long enough for vector loops, blocks and their remainders.
LONG_SHAPES = [(67,), (130,), (5, 33), (300,), (17, 9), (2, 3, 31)]
SPECIAL = ["nan", "inf", "-inf", "-0.0"]
LAYOUTS = [""] * 6 + ["[::-1]", "[..., ::-1]", ".T", ".T", "[::2]", "[..., ::2]", "fortran", "broadcast", ".swapaxes(0, -1)"]


class ArrayDraw:
    """Draws the arrays of one call, with shapes that are mostly compatible."""

    def __init__(self, random: Random, *, face: str = "np", dtypes: list[str] | None = None, special: float = 0.1, extremes: bool = False,
                 long: float = 0.04):
        self.random, self.face, self.dtypes = random, face, dtypes or DTYPES
        self.special = random.random() < special
        self.extremes = extremes
        self.shape: tuple[int, ...] = random.choice(LONG_SHAPES if random.random() < long else BASE_SHAPES)
        self.dtype = random.choice(self.dtypes)
        self.setup: list[str] = []
        self.names: list[str] = []

    # ------------------------------------------------------------------------------------------------ arrays by name

    def array(self) -> str:
        """An array that mostly broadcasts with the others."""
        way = self.random.random()
        if self.names and way < 0.08:
            return self.random.choice(self.names)
        if way < 0.16:
            return self.number()
        return self.named(self.related_shape())

    def array_like(self) -> str:
        return self.array() if self.random.random() < 0.5 else self.literal(self.related_shape(), self.any_dtype())

    def arrays(self) -> str:
        n = self.random.choice([1, 2, 2, 3])
        return "[" + ", ".join(self.named(self.shape) for _ in range(n)) + "]"

    def chain(self) -> str:
        return f"[{self.named((2, 3))}, {self.named((3, 2))}, {self.named((2, 2))}]"

    def vector(self) -> str:
        return self.named((self.random.choice([3, 4, 2, 5, 1, 8]),)) if self.random.random() < 0.9 else self.array()

    def matrix(self) -> str:
        shape = self.random.choice([(3, 3)] * 5 + [(2, 2)] * 2 + [(2, 3, 3), (4, 4), (1, 1), (2, 3), (3, 2), (0, 0), (0, 2, 2), (3,)])
        if self.random.random() < 0.5 and len(shape) == 2 and shape[0] == shape[1]:
            return self.named(shape, suffix=f" + 5 * np.eye({shape[0]}, dtype='f4')" if self.face == "np" else "")
        return self.named(shape)

    def matrix_or_vector(self) -> str:
        return self.named(self.random.choice([(3,), (3, 2), (3, 3), (2, 2), (2, 3, 3)]))

    def increasing(self) -> str:
        values, at = [], self.random.choice([-2.0, 0.0, 1.0])
        for _ in range(self.random.choice([1, 2, 3, 4, 6])):
            values.append(at)
            at += self.random.choice([0.0, 0.5, 1.0, 1.0, 2.0])
        return f"np.array({values})"

    def nonnegative(self) -> str:
        return f"np.array({[self.random.randrange(6) for _ in range(self.random.choice([0, 1, 3, 8]))]}, '{self.random.choice(['i8', 'i4', 'u1'])}')"

    def shifts(self) -> str:
        return self.random.choice(["1", "3", "0", "np.array([1, 2, 0])", "np.array([1, 70, 3], 'i4')", "np.array(2, 'u1')"])

    def bytes_array(self) -> str:
        return self.named(self.shape, dtype=self.random.choice(["u1", "?"]))

    def index_array(self) -> str:
        shape = self.random.choice([self.shape, (3,), (2, 2), (1, 3)])
        return self.named(shape, dtype=self.random.choice(["i8", "i8", "i4"]), low=-1, high=2)

    def indices(self) -> str:
        return self.random.choice(["0", "1", "-1", "[0, 1]", "[1, 0, -1]", "[[0, 1], [1, 0]]", "slice(0, 2)", "[]", "7", "np.array([1, 0], 'i4')",
                                   "[True, False, True]"])

    def key(self) -> str:
        """An index: the source between the brackets."""
        parts = [self.random.choice(["0", "-1", "1", ":", "...", "None", "::-1", "1:", ":2", "::2", "[0, 1]", "[1, 0, 1]", "2:0:-1", "-2:", ":0",
                                     "[[0], [1]]", "np.array([0, -1])", "[True, False]", "5", "True"])
                 for _ in range(self.random.choice([1, 1, 2, 2, 3]))]
        return f"np.s_[{', '.join(parts)}]"

    def bound(self) -> str:
        return self.random.choice(["None", "1", "-0.5", "2"]) if self.random.random() < 0.7 else self.named(self.related_shape())

    def mask(self) -> str:
        if self.random.random() < 0.15:
            return self.random.choice(["True", "False"])
        return self.named(self.related_shape(), dtype="?")

    def masks(self) -> str:
        return f"[{self.named(self.shape, dtype='?')}, {self.named(self.shape, dtype='?')}]"

    def out(self) -> str:
        way = self.random.random()
        if self.names and way < 0.25:
            return self.random.choice(self.names) + self.random.choice(["", "", "[::-1]", ".T", "[1:]", "[:-1]"])
        if way < 0.35:
            return "None"
        shape = self.random.choice([self.shape, self.shape, self.shape[1:], self.shape[:-1], ()])
        return self.named(shape)

    def dtype_text(self) -> str:
        return self.random.choice(["'f4'", "'f8'", "float", "'i4'", "int", "bool", "complex", "'c8'", "'u1'", "'f2'", "'i8'", "None", "'u8'", "'i1'"])

# ---------------------------------------------------------------------------------------------------------- construction

    def number(self) -> str:
        if self.special and self.random.random() < 0.3:
            return self.random.choice(SPECIAL)
        return self.random.choice(["1", "2", "0", "-1", "3", "0.5", "2.5", "-1.5", "True", "1j", "100", "7"] if self.face == "np" else ["1", "2", "-1", "0.5", "2.5"])

    def any_dtype(self) -> str:
        return self.dtype if self.random.random() < 0.6 else self.random.choice(self.dtypes)

    def related_shape(self) -> tuple[int, ...]:
        """The shape of the call, or one that broadcasts with it; rarely an unrelated one."""
        way = self.random.random()
        if way < 0.6 or not self.shape:
            return self.shape
        if way < 0.7:
            return self.shape[1:]
        if way < 0.8:
            return tuple(1 if self.random.random() < 0.5 else n for n in self.shape)
        if way < 0.85:
            return ()
        if way < 0.93:
            return (self.random.choice([1, 2]), *self.shape)
        return self.random.choice(BASE_SHAPES)

    def named(self, shape, dtype=None, suffix="", **bounds) -> str:
        """Adds a statement that makes an array. Returns the array's name."""
        name = "abcdefghijklmnopqrsuvw"[len(self.names)]
        self.setup.append(f"{name} = {self.made(shape, dtype or self.any_dtype(), **bounds)}{suffix}")
        self.names.append(name)
        return name

    def made(self, shape, dtype, **bounds) -> str:
        layout = self.random.choice(LAYOUTS) if self.random.random() < 0.6 and len(shape) else ""
        if self.face == "torch":
            layout = {".T": ".T", ".swapaxes(0, -1)": ".T", "[::2]": "[::2]"}.get(layout, "") if len(shape) == 2 else ""
        made_shape, suffix = shape, layout
        if layout == ".T":
            made_shape = shape[::-1]
        elif layout == ".swapaxes(0, -1)":
            made_shape = (shape[-1], *shape[1:-1], shape[0]) if len(shape) > 1 else shape
        elif layout == "[::2]":
            made_shape = (2 * shape[0], *shape[1:])
        elif layout == "[..., ::2]":
            made_shape = (*shape[:-1], 2 * shape[-1])
        elif layout == "fortran":
            return f"np.asfortranarray({self.literal_array(shape, dtype, **bounds)})"
        elif layout == "broadcast":
            return f"np.broadcast_to({self.literal_array(shape[1:], dtype, **bounds)}, {shape})"
        return self.literal_array(made_shape, dtype, **bounds) + suffix

    def literal_array(self, shape, dtype, **bounds) -> str:
        size = 1
        for n in shape:
            size *= n
        few = min(size, 12)
        values = ", ".join(self.values(few, dtype, **bounds))
        if self.face == "torch":
            text = f"torch_np.tensor([{values}], dtype={TORCH_NAMES[dtype]})"
            if size != few:
                text += f".repeat({-(-size // 12)})[:{size}]"
            return text if shape == (size,) else text + f".reshape({shape})"
        text = f"np.array([{values}], {dtype!r})"
        if size != few:
            text = f"np.resize({text}, {shape})"
        elif shape != (size,):
            text += f".reshape({shape})"
        return text

    def literal(self, shape, dtype) -> str:
        """Nested lists of values."""
        if not shape:
            return self.values(1, dtype)[0]
        return "[" + ", ".join(self.literal(shape[1:], dtype) for _ in range(min(shape[0], 4))) + "]"

    def values(self, n, dtype, low=-4, high=6) -> list[str]:
        random, kind = self.random, dtype[0]
        if kind == "?":
            return [random.choice(["True", "False"]) for _ in range(n)]
        if kind == "u":
            low = max(low, 0)
        if kind in "iu":
            values = [str(random.randint(low, high)) for _ in range(n)]
            if self.extremes and n and random.random() < 0.3:
                values[random.randrange(n)] = str(random.choice(EXTREMES[dtype]))
            return values
        numbers = [str(random.randint(2 * low, 2 * high) / 2) for _ in range(n)]
        if self.special and n:
            for _ in range(random.choice([1, 1, 2])):
                numbers[random.randrange(n)] = random.choice(SPECIAL)
        if kind == "c":
            return [f"complex({x}, {random.randint(-4, 4) / 2})" for x in numbers]
        return numbers


EXTREMES = {f"{kind}{size}": [2**(8 * size) - 1] if kind == "u" else [2**(8 * size - 1) - 1, -2**(8 * size - 1)] for kind in "iu" for size in (1, 2, 4, 8)}
TORCH_NAMES = {"f8": "torch_np.float64", "f4": "torch_np.float32", "f2": "torch_np.float16", "i8": "torch_np.int64", "i4": "torch_np.int32", "i2": "torch_np.int16",
               "i1": "torch_np.int8", "u1": "torch_np.uint8", "u2": "torch_np.uint16", "u4": "torch_np.uint32", "u8": "torch_np.uint64", "?": "torch_np.bool",
               "c8": "torch_np.complex64", "c16": "torch_np.complex128"}
