"""Checks of sorts by order and by content, without another sort as the reference.

NumPy 2.4.6 sorts float16 wrongly with its AVX512_ICL loops (on AMD's Zen 4 and Zen 5: from some
thousand numbers on, if there are zeros of both signs). So numpy.sort, numpy.partition and functions
based on them (median, unique, ...) are not a reference for that dtype.
"""
import numpy


def keys(a, zeros_differ=False):
    """Arrays of integers that are ordered as the elements are, one after the other: NaN after all numbers, and of complex
    numbers the real part first, those with a NaN in the imaginary part only before those with one in the real part.
    `zeros_differ`: -0.0 comes before 0.0, so that equal keys are equal elements (but for the bits of NaN)."""
    if a.dtype.kind == "c":
        real, imaginary = numpy.isnan(a.real), numpy.isnan(a.imag)
        parts = [numpy.where(real, 0, a.real), numpy.where(imaginary, 0, a.imag)]
        return [2 * real.astype("u1") + imaginary] + [keys(part, zeros_differ)[0] for part in parts]
    if a.dtype.kind != "f":
        return [a.view("u1") if a.dtype == bool else a]
    unsigned = numpy.dtype(f"u{a.dtype.itemsize}")
    bits = numpy.array(a, order="C").view(unsigned)
    sign = unsigned.type(1 << 8 * a.dtype.itemsize - 1)
    key = numpy.where(bits & sign, ~bits, bits | sign)
    if not zeros_differ:
        key[a == 0] = sign
    key[numpy.isnan(a)] = numpy.iinfo(unsigned).max
    return [key]


def in_order(a, axis=-1):
    before, equal = compare_neighbours(a, axis)
    return bool((before | equal).all())


def compare_neighbours(a, axis):
    """(before, equal): whether an element precedes the next one along `axis`, and whether neither
    precedes the other."""
    before, equal = False, True
    for key in keys(a):
        key = numpy.moveaxis(key, axis, -1)
        left, right = key[..., :-1], key[..., 1:]
        before = before | equal & (left < right)
        equal = equal & (left == right)
    return before, equal


def same_elements(a, b, axis=-1, zeros_differ=True):
    """Asserts that every line of `a` has the same elements as that of `b`, equally often, in any
    order."""
    def canonical(x):
        columns = keys(x, zeros_differ)
        if len(columns) == 1:  # a sort of integers; a defect in it could only make the comparison fail
            return [numpy.sort(columns[0], axis, kind="stable" if x.dtype.itemsize == 2 else None)]
        order = numpy.lexsort(columns[::-1], axis)
        return [numpy.take_along_axis(column, order, axis) for column in columns]

    return a.dtype == b.dtype and a.shape == b.shape and all(map(numpy.array_equal, canonical(a), canonical(b)))


def assert_sorted(got, of, axis=-1, what=""):
    """Asserts that `got` is `of`, sorted along `axis`, and that no zero changed its sign."""
    if axis is None:
        of, axis = of.ravel(), 0
    assert got.shape == of.shape and got.dtype == of.dtype, what
    assert in_order(got, axis), f"{what}: not in order"
    assert same_elements(got, of, axis), f"{what}: other elements"


def assert_stable_argsort(indices, of, axis=-1, what=""):
    """Asserts that `indices` sort `of` along `axis`, and that those of equal elements ascend."""
    if axis is None:
        of, axis = of.ravel(), 0
    assert indices.shape == of.shape and indices.dtype == numpy.intp, what
    if of.size == 0:
        return
    every = numpy.arange(of.shape[axis]).reshape([-1 if d == axis % of.ndim else 1 for d in range(of.ndim)])
    assert same_elements(indices, numpy.broadcast_to(every, of.shape), axis), f"{what}: not a permutation"
    before, equal = compare_neighbours(numpy.take_along_axis(of, indices, axis), axis)
    ascending, _ = compare_neighbours(indices, axis)
    assert (before | equal & ascending).all(), f"{what}: not in stable order"


def sorted_copy(a, axis=-1):
    """A checked, sorted copy of `a`, for the elements that belong at given positions."""
    if axis is None:
        a, axis = a.ravel(), 0
    columns = keys(a)
    order = numpy.argsort(columns[0], axis, kind="stable") if len(columns) == 1 else numpy.lexsort(columns[::-1], axis)
    ordered = numpy.take_along_axis(a, order, axis)
    assert_sorted(ordered, a, axis)
    return ordered


def assert_partitioned(got, of, kth, axis=-1, what="", ordered=None):
    """Asserts that `got` is a permutation of `of` and that each position in `kth` has the element
    of the sorted array. No element before it is larger, and none after it is smaller. `ordered`:
    sorted_copy(of, axis), if already computed."""
    assert same_elements(got, of, axis), f"{what}: other elements"
    ordered = sorted_copy(of, axis) if ordered is None else ordered
    got, ordered = numpy.moveaxis(got, axis, -1), numpy.moveaxis(ordered, axis, -1)
    for k in kth:
        k %= got.shape[-1]
        numpy.testing.assert_array_equal(got[..., k], ordered[..., k], err_msg=what)
        assert same_elements(got[..., :k], ordered[..., :k], zeros_differ=False), f"{what}: not the smallest {k} in front"
