"""Lines that are mistakes. mypy must find each of them, with the code that its comment names, and nothing else. They never run."""
import numpy

import torch_np
import torch_np.numpy as np
from torch_np import Tensor
from torch_np.nn import functional

a = np.zeros((2, 3))
t = torch_np.zeros(2, 3)
rng = np.random.default_rng(0)

# Names that do not exist.
np.zeroes(3)  # E: attr-defined
np.concat_all([a, a])  # E: attr-defined
np.linalg.solv(a, a)  # E: attr-defined
np.fft.fft3(a)  # E: attr-defined
np.random.uniformly(3)  # E: attr-defined
np.flaot32  # E: attr-defined
torch_np.zeros_lik(t)  # E: attr-defined
torch_np.float23  # E: attr-defined
torch_np.linalg.singular_values(t)  # E: attr-defined
torch_np.nn.functional.rellu(t)  # E: attr-defined
torch_np.cuda.is_availabel()  # E: attr-defined
torch_np.cpu.empty_caches()  # E: attr-defined
torch_np.autograd.gradient(t, t)  # E: attr-defined
torch_np.return_types.medians  # E: attr-defined
functional.softest(t)  # E: attr-defined
a.summ()  # E: attr-defined
a.backward()  # E: attr-defined
a.cuda()  # E: attr-defined
a.requires_grad  # E: attr-defined
a.dims  # E: attr-defined
a.flags.c_contigous  # E: attr-defined
t.summ()  # E: attr-defined
t._backward()  # E: attr-defined
t.astype("float32")  # E: attr-defined
t.device.number  # E: attr-defined
t.max(dim=0).index_of  # E: attr-defined
np.linalg.eigh(a).values  # E: attr-defined
np.add.reduced(a)  # E: attr-defined
np.add.arity  # E: attr-defined
rng.normall(3)  # E: attr-defined
rng.rand(3)  # E: attr-defined

# Names of arguments.
np.zeros((2, 3), typ=float)  # E: call-arg
np.sum(a, dim=0)  # E: call-arg
a.sum(keepdim=True)  # E: call-arg
np.add(a, a, alpha=2)  # E: call-arg
np.add.reduce(a, keepdim=True)  # E: call-arg
np.linspace(0, 1, count=5)  # E: call-arg
rng.normal(mean=0)  # E: call-arg
torch_np.sum(t, keepdims=True)  # E: call-arg
torch_np.zeros(2, type=torch_np.float32)  # E: call-arg
torch_np.tensor([1.0], require_grad=True)  # E: call-arg
t.backward(retain=True)  # E: call-arg
functional.softmax(t, axes=1)  # E: call-arg

# Types and numbers of arguments.
np.zeros("three")  # E: arg-type
np.zeros((2, 2.5))  # E: arg-type
np.sum(a, axis="rows")  # E: arg-type
np.sum(a, axis=1.5)  # E: arg-type
np.exp("x")  # E: arg-type
np.exp()  # E: call-arg
np.exp(a, a, a)  # E: call-arg
np.add(a)  # E: call-arg
np.array(lambda: 1)  # E: arg-type
np.array({"a": 1})  # E: dict-item
np.median(a, axis="rows")  # E: arg-type
np.concatenate(3.5, axis="0")  # E: arg-type
np.reshape(a, "2")  # E: arg-type
np.linalg.norm(a, axis="rows")  # E: arg-type
np.add.outer(a)  # E: call-arg
rng.integers("ten")  # E: arg-type
rng.choice(5, replace="no")  # E: arg-type
np.random.default_rng(0, 1)  # E: call-arg
a.reshape("2")  # E: arg-type
a.astype()  # E: call-arg
a["row"]  # E: index
a[1.5]  # E: index
a[0] = "x"  # E: assignment
a + "x"  # E: operator
a @ None  # E: operator
torch_np.zeros("three")  # E: arg-type
torch_np.sum(t, dim="rows")  # E: arg-type
torch_np.sum([1, 2])  # E: arg-type
torch_np.add([1, 2], t)  # E: call-overload
torch_np.exp(2 * [1.0])  # E: arg-type
torch_np.zeros(2, requires_grad="yes")  # E: arg-type
torch_np.cat(t, dim="0")  # E: arg-type
torch_np.from_numpy([1, 2])  # E: arg-type
torch_np.linalg.norm("x")  # E: arg-type
torch_np.set_num_threads("all")  # E: arg-type
t + [1, 2]  # E: operator
t + "x"  # E: operator
t[1.5]  # E: index
t.reshape("2")  # E: arg-type
t.transpose(0)  # E: call-arg
t.requires_grad_("yes")  # E: arg-type
functional.layer_norm(t)  # E: call-arg

# Types of results.
shape: list[int] = a.shape  # E: assignment
total: Tensor = np.sum(a)  # E: assignment
array: np.ndarray = torch_np.sum(t)  # E: assignment
host: numpy.ndarray = a  # E: assignment
number: float = a.sum()  # E: assignment
name: int = t.device  # E: assignment
q, r, rest = np.divmod(a, 2)  # E: misc
a.shape = "2"  # E: assignment
t.shape = (3, 2)  # E: misc assignment
t.grad = 3  # E: assignment
a.ndim = 3  # E: misc
