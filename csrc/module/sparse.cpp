// Sparse tensors from their parts, and parts of sparse tensors, for torch_np/sparse.
#include "aten/core/sparse.h"

#include "aten/compiler/tracer.h"
#include "csrc/args/readers.h"
#include "csrc/convert/convert.h"
#include "csrc/module/modules.h"
#include "csrc/objects/errors.h"
#include "csrc/objects/methods.h"
#include "csrc/objects/python_error.h"
#include "csrc/objects/variable.h"
#include "csrc/objects/watched.h"

namespace tnp::python {

namespace {

bool is_sparse_object(PyObject* o) { return is_tensor(o) && is_sparse(unwrap(o)); }

// Parts and sizes as Python passes them: (layout, indices, plain or None, values, size, is_coalesced).
struct Described {
  SparseParts parts;
  DimVector sizes;
};

bool read_described(PyObject* const* args, Described& out) {
  const long layout = PyLong_AsLong(args[0]);
  if (layout == -1 && PyErr_Occurred()) return false;
  const bool has_plain = args[2] != Py_None;
  if (layout < 0 || layout > static_cast<long>(SparseLayout::Bsc) || !is_tensor(args[1]) || !is_tensor(args[3]) ||
      (has_plain && !is_tensor(args[2])) || is_sparse_object(args[1]) || is_sparse_object(args[3])) {
    PyErr_SetString(PyExc_TypeError, "a sparse tensor is made of a layout, dense tensors and a size");
    return false;
  }
  const int is_coalesced = PyObject_IsTrue(args[5]);
  if (is_coalesced < 0) return false;
  out.parts = {static_cast<SparseLayout>(layout), is_coalesced == 1, unwrap(args[1]),
               has_plain ? unwrap(args[2]) : Tensor(), unwrap(args[3])};
  read_int_list(args[4], 0, false, out.sizes);
  numel_of(out.sizes);  // raises if it overflows
  return true;
}

PyObject* make(PyObject*, PyObject* const* args, Py_ssize_t n) {
  if (n != 6) return PyErr_SetString(PyExc_TypeError, "_make_sparse() takes 6 arguments"), nullptr;
  return protect<false>([&]() -> PyObject* {
    Described described;
    if (!read_described(args, described)) throw PythonError{};
    return wrap<false>(make_sparse(std::move(described.parts), described.sizes));
  });
}

PyObject* replace(PyObject*, PyObject* const* args, Py_ssize_t n) {
  if (n != 7 || !is_sparse_object(args[0]))
    return PyErr_SetString(PyExc_TypeError, "_replace_sparse() takes a sparse tensor and 6 arguments"), nullptr;
  return protect<false>([&]() -> PyObject* {
    Described described;
    if (!read_described(args + 1, described)) throw PythonError{};
    replace_sparse(unwrap(args[0]), std::move(described.parts), described.sizes);
    auto* self = reinterpret_cast<THPVariable*>(args[0]);
    Py_CLEAR(self->shape);
    return Py_NewRef(args[0]);
  });
}

PyObject* parts_of(PyObject*, PyObject* o) {
  if (!is_sparse_object(o)) return PyErr_SetString(PyExc_TypeError, "_sparse_parts() takes a sparse tensor"), nullptr;
  return protect<false>([&]() -> PyObject* {
    if (compiler::Tracer* const tracer = compiler::active_tracer())
      tracer->fail("it reads a sparse tensor, whose parts guards do not know");
    const SparseParts parts = sparse_parts(unwrap(o));
    const Ref indices(check(wrap<false>(parts.indices))), plain(check(wrap<false>(parts.plain))),
        values(check(wrap<false>(parts.values)));
    return Py_BuildValue("iOOOO", static_cast<int>(parts.layout), indices.get(), plain.get(), values.get(),
                         parts.is_coalesced ? Py_True : Py_False);
  });
}

PyObject* is_sparse_tensor(PyObject*, PyObject* o) { return PyBool_FromLong(is_sparse_object(o)); }

// The fields that need no parts, below all overrides.
PyObject* shape(PyObject*, PyObject* o) {
  if (!is_sparse_object(o)) return PyErr_SetString(PyExc_TypeError, "_sparse_shape() takes a sparse tensor"), nullptr;
  return protect<false>([&] { return tuple_of_ints(unwrap(o).sizes()); });
}

PyObject* set_class(PyObject*, PyObject* type) {
  if (!PyType_Check(type) || !PyType_IsSubtype(reinterpret_cast<PyTypeObject*>(type), tensor_type))
    return PyErr_SetString(PyExc_TypeError, "_set_sparse_class() takes a class derived from Tensor"), nullptr;
  sparse_type = reinterpret_cast<PyTypeObject*>(Py_NewRef(type));
  Py_RETURN_NONE;
}

PyMethodDef functions[] = {
    {"_make_sparse", as_method(make), METH_FASTCALL,
     "_make_sparse(layout, indices, plain, values, size, is_coalesced): sparse tensor of these parts,\n"
     "which are not checked. `layout` counts COO, CSR, CSC, BSR, BSC."},
    {"_replace_sparse", as_method(replace), METH_FASTCALL,
     "_replace_sparse(sparse, layout, indices, plain, values, size, is_coalesced): gives a sparse tensor\n"
     "other parts in place."},
    {"_sparse_parts", parts_of, METH_O, "(layout, indices, plain, values, is_coalesced) of a sparse tensor."},
    {"_sparse_shape", shape, METH_O, "The size of a sparse tensor as a tuple."},
    {"_is_sparse", is_sparse_tensor, METH_O, "Whether the object is a sparse tensor."},
    {"_set_sparse_class", set_class, METH_O, "Registers the class of sparse tensors."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

bool add_sparse(PyObject* module) { return PyModule_AddFunctions(module, functions) == 0; }

}  // namespace tnp::python
