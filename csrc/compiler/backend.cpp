#include "csrc/compiler/backend.h"

#include <utility>

namespace tnp::python {

namespace {

constexpr const char* kCapsule = "torch_np.compiler.backend";

void delete_capsule(PyObject* capsule) { delete static_cast<SharedBackend*>(PyCapsule_GetPointer(capsule, kCapsule)); }

}  // namespace

Ref wrap_backend(SharedBackend backend) {
  auto held = std::make_unique<SharedBackend>(std::move(backend));
  Ref capsule(check(PyCapsule_New(held.get(), kCapsule, delete_capsule)));
  held.release();
  return capsule;
}

const compiler::Backend* backend_in(PyObject* capsule) {
  if (capsule == Py_None) return nullptr;
  auto* held = static_cast<SharedBackend*>(PyCapsule_GetPointer(capsule, kCapsule));
  if (!held) throw PythonError();
  return held->get();
}

}  // namespace tnp::python
