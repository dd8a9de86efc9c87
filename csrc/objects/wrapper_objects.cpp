#include "csrc/objects/wrapper_objects.h"

#include <structmember.h>

#include <atomic>
#include <memory>
#include <utility>

#include "aten/core/memory/storage.h"
#include "aten/core/wrapped.h"
#include "csrc/objects/gil.h"
#include "csrc/objects/python_error.h"
#include "csrc/objects/variable.h"

namespace tnp::python {

void (*on_death_of_wrapper)() = nullptr;

namespace {

std::atomic<int64_t> num_living{0};

struct Kept {
  PyObject* object = nullptr;
  bool is_owned = false;  // whether the program has no reference to the object
  Kept() { ++num_living; }
  Kept(const Kept&) = delete;
  Kept& operator=(const Kept&) = delete;
  ~Kept() {
    --num_living;
    if (!Py_IsInitialized()) return;
    const GilGuard gil;
    if (is_owned) Py_DECREF(object);
    if (on_death_of_wrapper) on_death_of_wrapper();
  }
};

// The owner of the second part's storage, which has no memory.
struct KeepObject {
  std::unique_ptr<Kept> kept = std::make_unique<Kept>();
  void operator()() const {}
};

Kept* kept_by(const Tensor& t) {
  if (t.impl()->in_host_memory() || !is_wrapped(t)) return nullptr;
  const WrappedParts& w = wrapped_parts(t);
  if (w.parts.size() != 2 || !w.parts[1].defined()) return nullptr;
  const auto* keep = w.parts[1].storage().release_function<KeepObject>();
  return keep ? keep->kept.get() : nullptr;
}

THPVariable* variable_of(PyObject* o) { return reinterpret_cast<THPVariable*>(o); }

// Calls f with the address of each attribute that a class stores in `__slots__`.
template <class F>
void for_each_slot(PyObject* o, F&& f) {
  for (PyTypeObject* type = Py_TYPE(o); type && type != tensor_type; type = type->tp_base) {
    if (!(type->tp_flags & Py_TPFLAGS_HEAPTYPE) || !Py_SIZE(type)) continue;
    for (const PyMemberDef* m = type->tp_members; m && m->name; ++m)
      if (m->type == T_OBJECT_EX && !(m->flags & READONLY)) f(m->offset);
  }
}
PyObject*& slot(PyObject* o, Py_ssize_t offset) {
  return *reinterpret_cast<PyObject**>(reinterpret_cast<char*>(o) + offset);
}

void dealloc(PyObject* self);

// Whether the tensor now owns its object, which the program no longer refers to.
bool outlives_program(PyObject* self) {
  THPVariable& v = *variable_of(self);
  if (!v.tensor.defined() || Py_TYPE(self)->tp_dealloc != dealloc) return false;
  Kept* const kept = kept_by(v.tensor);
  if (!kept || kept->object != self) return false;
  if (v.tensor.impl()->use_count() == 1 && v.tensor.impl()->storage->use_count() == 1) {
    kept->object = nullptr;
    return false;
  }
  _Py_NewReference(self);
  kept->is_owned = true;
  const Tensor t = std::move(v.tensor);
  t.impl()->python_objects[false] = nullptr;
  return true;  // t may be the last owner by now, and destroy `self`
}

// As CPython's subtype_dealloc, for classes derived from Tensor.
void dealloc(PyObject* self) {
  if (outlives_program(self)) return;
  if (Py_TYPE(self)->tp_finalize && PyObject_CallFinalizerFromDealloc(self) < 0) return;
  PyObject_GC_UnTrack(self);
  for_each_slot(self, [&](Py_ssize_t offset) { Py_CLEAR(slot(self, offset)); });
  variable_dealloc<false>(self);
}

// An object of the same class and with the same attributes for another tensor.
PyObject* copied(PyObject* from, const Tensor& t) {
  PyTypeObject* const type = Py_TYPE(from);
  Ref made(check(type->tp_alloc(type, 0)));
  THPVariable& v = *variable_of(made.get());
  v.tensor = t;
  t.impl()->python_objects[false] = made.get();
  if (variable_of(from)->dict) v.dict = check(PyDict_Copy(variable_of(from)->dict));
  for_each_slot(from, [&](Py_ssize_t offset) { slot(made.get(), offset) = Py_XNewRef(slot(from, offset)); });
  return made.release();
}

}  // namespace

bool is_wrapper_class(PyTypeObject* type) { return type->tp_dealloc == dealloc; }

int64_t num_wrapper_objects() { return num_living.load(); }

PyObject* wrapper_object(const Tensor& t) {
  Kept* kept = nullptr;
  try {
    kept = kept_by(t);
    if (!kept || !kept->object) return nullptr;
    if (!kept->is_owned) return copied(kept->object, t);
  } catch (const Error&) {
    return nullptr;  // a view without parts: its operators raise
  } catch (const PythonError&) {
    PyErr_Clear();  // no memory for a copy
    return nullptr;
  }
  kept->is_owned = false;
  variable_of(kept->object)->tensor = t;
  t.impl()->python_objects[false] = kept->object;
  return kept->object;
}

PyObject* make_wrapper_object(PyTypeObject* type, uint64_t level, const Tensor& part, bool has_data, ScalarType dtype,
                              IntList sizes, IntList strides) {
  KeepObject keep;
  Kept& kept = *keep.kept;
  const DimVector none{0}, one{1};
  const Tensor keeper(
      make_intrusive<TensorImpl>(make_intrusive<Storage>(nullptr, 0, Device{DeviceType::Meta}, std::move(keep)),
                                 ScalarType::UInt8, none, one, nullptr));
  const Tensor t = make_wrapped({level, {part, keeper}, has_data}, dtype, sizes, strides);
  PyObject* const made = check(wrap_as<false>(type, t, nullptr));
  kept.object = made;
  if (type->tp_dealloc != dealloc) type->tp_dealloc = dealloc;
  return made;
}

}  // namespace tnp::python
