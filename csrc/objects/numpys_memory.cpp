// Note [NumPy's state] The capsule of a NumPy bit generator points to its state
// (numpy/random/bitgen.h): for an MT19937, 624 words and the position of the next one. The cached
// second Gaussian of a pair is a field of the RandomState object, after an int flag. Its offset is
// undocumented, so we search for it. All of this is verified on a separate RandomState before the
// shared one is touched.
#include <cstring>
#include <memory>
#include <optional>

#include "aten/random/bit_generators.h"
#include "csrc/objects/numpys_generator.h"
#include "csrc/objects/numpys_lock.h"

namespace tnp::python {

namespace {

Ref attribute(PyObject* o, const char* name) { return Ref(check(PyObject_GetAttrString(o, name))); }

struct Interface {  // the first field of bitgen_t
  void* state;
};

MT19937::State* twister_of(PyObject* random_state) {
  Ref bits = attribute(random_state, "_bit_generator");
  if (std::strcmp(Py_TYPE(bits.get())->tp_name, "numpy.random._mt19937.MT19937") != 0) return nullptr;
  Ref capsule = attribute(bits.get(), "capsule");
  void* interface = PyCapsule_GetPointer(capsule.get(), "BitGenerator");
  check(interface != nullptr);
  return static_cast<MT19937::State*>(static_cast<Interface*>(interface)->state);
}

// Whether get_state() returns the words and the position found in memory.
bool is_state_of(const MT19937::State& twister, PyObject* random_state) {
  Ref all(check(PyObject_CallMethod(random_state, "get_state", nullptr)));
  if (!PyTuple_Check(all.get()) || PyTuple_GET_SIZE(all.get()) != 5) return false;
  Ref bytes(check(PyObject_CallMethod(PyTuple_GET_ITEM(all.get(), 1), "tobytes", nullptr)));
  if (PyBytes_GET_SIZE(bytes.get()) != sizeof twister.key) return false;
  return std::memcmp(PyBytes_AS_STRING(bytes.get()), twister.key, sizeof twister.key) == 0 &&
         PyLong_AsLong(PyTuple_GET_ITEM(all.get(), 2)) == twister.position;
}

void set_gauss(PyObject* random_state, int is_there, double value) {
  Ref all(check(PyObject_CallMethod(random_state, "get_state", nullptr)));
  Ref now(check(Py_BuildValue("(OOOid)", PyTuple_GET_ITEM(all.get(), 0), PyTuple_GET_ITEM(all.get(), 1),
                              PyTuple_GET_ITEM(all.get(), 2), is_there, value)));
  Ref none(check(PyObject_CallMethod(random_state, "set_state", "(O)", now.get())));
}

WaitingGauss* gauss_at(PyObject* random_state, size_t offset) {
  return reinterpret_cast<WaitingGauss*>(reinterpret_cast<char*>(random_state) + offset);
}

bool is_waiting(const WaitingGauss& gauss, int is_there, double value) {
  return gauss.is_there == is_there && gauss.value == value;
}

// The offset of the cached Gaussian in the object.
std::optional<size_t> offset_of_gauss(PyObject* probe) {
  const double number = 0.7216878364870322;
  set_gauss(probe, 1, number);
  std::optional<size_t> found;
  const auto size = static_cast<size_t>(Py_TYPE(probe)->tp_basicsize);
  for (size_t offset = sizeof(PyObject); offset + sizeof(WaitingGauss) <= size; offset += alignof(WaitingGauss)) {
    if (!is_waiting(*gauss_at(probe, offset), 1, number)) continue;
    if (found) return std::nullopt;
    found = offset;
  }
  if (!found) return std::nullopt;
  set_gauss(probe, 0, 0);
  return is_waiting(*gauss_at(probe, *found), 0, 0) ? found : std::nullopt;
}

std::optional<size_t> probed_layout(PyObject* probe) {
  const MT19937::State* twister = twister_of(probe);
  if (!twister || !is_state_of(*twister, probe)) return std::nullopt;
  const std::optional<size_t> offset = offset_of_gauss(probe);
  if (!offset) return std::nullopt;
  Ref drawn(check(PyObject_CallMethod(probe, "standard_normal", nullptr)));
  return is_state_of(*twister, probe) && gauss_at(probe, *offset)->is_there == 1 ? offset : std::nullopt;
}

}  // namespace

intrusive_ptr<Generator> generator_in_numpys_memory(PyObject* state, PyObject* probe) {
  const std::optional<size_t> offset = Py_TYPE(state) == Py_TYPE(probe) ? probed_layout(probe) : std::nullopt;
  MT19937::State* twister = twister_of(state);
  if (!offset || !twister || !is_state_of(*twister, state)) return {};
  Ref bits = attribute(state, "_bit_generator"), lock = attribute(bits.get(), "lock");
  Py_INCREF(state);  // both objects are kept until the process ends
  Py_INCREF(bits.get());
  auto generator =
      make_intrusive<Generator>(make_intrusive<MT19937>(twister, std::make_unique<NumpysLock>(lock.get())), true);
  generator->gauss = gauss_at(state, *offset);
  return generator;
}

}  // namespace tnp::python
