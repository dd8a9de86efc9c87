"""Arrays and tensors in dataclasses and in json behave as NumPy's."""
import dataclasses
import json
import pickle

import numpy
import pytest

import torch_np
import torch_np.numpy as np


@dataclasses.dataclass
class Point:
    place: object
    weights: object = dataclasses.field(default_factory=lambda: np.zeros(2))


@pytest.mark.parametrize("make", [lambda: np.arange(3.), lambda: torch_np.arange(3.)])
def test_dataclasses(make):
    p = Point(make())
    as_dict, as_tuple = dataclasses.asdict(p), dataclasses.astuple(p)
    assert type(as_dict["place"]) is type(p.place) and as_dict["place"].tolist() == as_tuple[0].tolist() == [0, 1, 2]
    as_dict["place"][0] = as_tuple[0][0] = 5
    assert p.place[0] == 0
    q = dataclasses.replace(p, weights=np.ones(2))
    assert q.place is p.place and q.weights.tolist() == [1, 1] and p.weights.tolist() == [0, 0]
    assert p.weights is not Point(make()).weights
    with pytest.raises(ValueError, match="mutable default|ambiguous"):
        dataclasses.make_dataclass("Bad", [("x", object, []), ("y", object, make())])
    assert pickle.loads(pickle.dumps(p)).place.tolist() == [0, 1, 2]


@pytest.mark.parametrize("text", ["np.float64(1.5)", "np.float32(1.5)", "np.int64(3)", "np.bool_(True)", "np.array(1.5)", "np.array([1.5])[0]", "np.arange(3)[1]", "np.arange(3.).sum()",
                                  "np.array([1.5])", "np.str_('a')", "{'a': [np.float64(2)]}", "{np.float64(1): 2}", "np.arange(3.).tolist()", "np.array(1.5)[()]", "np.sqrt(2.0)", "np.sqrt(np.array(4.0))"])
def test_json_takes_what_it_takes_of_numpys(text):
    def dumped(xp):
        try:
            return json.dumps(eval(text, {"np": xp}))
        except TypeError as error:
            return str(error)
    assert dumped(np) == dumped(numpy)
