#include "csrc/objects/numpys_generator.h"

#include <cstring>
#include <memory>

#include "aten/random/bit_generators.h"
#include "csrc/objects/numpys_lock.h"
#include "csrc/objects/switches.h"

namespace tnp::python {

namespace {

// A view of the words of a state that MT19937.state returned.
class Words {
 public:
  explicit Words(PyObject* state) {
    const Ref inner(check(PyMapping_GetItemString(state, "state"))),
        key(check(PyMapping_GetItemString(inner.get(), "key")));
    check(PyObject_GetBuffer(key.get(), &view_, PyBUF_WRITABLE) == 0);
  }
  ~Words() { PyBuffer_Release(&view_); }
  Words(const Words&) = delete;
  Words& operator=(const Words&) = delete;
  size_t size() const { return static_cast<size_t>(view_.len); }
  void* data() const { return view_.buf; }

 private:
  Py_buffer view_;
};

long number_in(PyObject* mapping, const char* name) {
  const Ref item(check(PyMapping_GetItemString(mapping, name)));
  const long number = PyLong_AsLong(item.get());
  check(!PyErr_Occurred());
  return number;
}

// A copy of NumPy's state. Each draw gets the state from NumPy when it takes NumPy's lock, and sets
// it before it releases the lock.
class ExchangedState final : public NumpysLock {
 public:
  ExchangedState(PyObject* random_state, PyObject* bits, PyObject* lock)
      : NumpysLock(lock), random_state_(Py_NewRef(random_state)), bits_(Py_NewRef(bits)) {}
  MT19937::State* twister() { return &twister_; }
  WaitingGauss* gauss() { return &gauss_; }

  bool lock(bool) override {
    GilGuard gil;
    acquire();
    try {
      get();
    } catch (...) {
      release();
      throw;
    }
    return true;
  }
  void unlock() noexcept override {
    GilGuard gil;
    PyObject *type, *value, *traceback;  // an exception may be pending
    PyErr_Fetch(&type, &value, &traceback);
    try {
      set();
    } catch (const PythonError&) {
      PyErr_WriteUnraisable(random_state_);
    }
    release();
    PyErr_Restore(type, value, traceback);
  }

 private:
  Ref state_of_bits() const { return Ref(check(PyObject_GetAttrString(bits_, "state"))); }
  // As a dict, with the cached Gaussian.
  Ref whole_state() const {
    const Ref get(check(PyObject_GetAttrString(random_state_, "get_state"))), none(check(PyTuple_New(0)));
    const Ref options(check(Py_BuildValue("{s:O}", "legacy", Py_False)));
    return Ref(check(PyObject_Call(get.get(), none.get(), options.get())));
  }

  void get() {
    const Ref state = state_of_bits(), whole = whole_state();
    const Words words(state.get());
    TNP_CHECK(words.size() == sizeof twister_.key, ErrorKind::Runtime, "the state of numpy.random's MT19937 has ",
              words.size(), " bytes instead of ", sizeof twister_.key);
    std::memcpy(twister_.key, words.data(), sizeof twister_.key);
    const Ref inner(check(PyMapping_GetItemString(state.get(), "state")));
    twister_.position = static_cast<int>(number_in(inner.get(), "pos"));
    const Ref value(check(PyMapping_GetItemString(whole.get(), "gauss")));
    gauss_ = {static_cast<int>(number_in(whole.get(), "has_gauss")), PyFloat_AsDouble(value.get())};
    check(!PyErr_Occurred());
    twister_before_ = twister_, gauss_before_ = gauss_;
  }

  void set() const {
    if (std::memcmp(&twister_, &twister_before_, sizeof twister_) != 0) {
      const Ref state = state_of_bits();
      {
        const Words words(state.get());
        std::memcpy(words.data(), twister_.key, sizeof twister_.key);
      }
      const Ref inner(check(PyMapping_GetItemString(state.get(), "state"))),
          pos(check(PyLong_FromLong(twister_.position)));
      check(PyMapping_SetItemString(inner.get(), "pos", pos.get()) == 0);
      check(PyObject_SetAttrString(bits_, "state", state.get()) == 0);
    }
    if (gauss_.is_there == gauss_before_.is_there && gauss_.value == gauss_before_.value) return;
    const Ref whole = whole_state(), is_there(check(PyLong_FromLong(gauss_.is_there))),
              value(check(PyFloat_FromDouble(gauss_.value)));
    check(PyMapping_SetItemString(whole.get(), "has_gauss", is_there.get()) == 0);
    check(PyMapping_SetItemString(whole.get(), "gauss", value.get()) == 0);
    const Ref none(check(PyObject_CallMethod(random_state_, "set_state", "O", whole.get())));
  }

  PyObject *random_state_, *bits_;  // never released, as the lock
  MT19937::State twister_, twister_before_;
  WaitingGauss gauss_, gauss_before_;
};

intrusive_ptr<Generator> generator_with_exchanged_state(PyObject* state) {
  const Ref bits(check(PyObject_GetAttrString(state, "_bit_generator")));
  const Ref words(check(PyObject_GetAttrString(bits.get(), "state"))),
      name(check(PyMapping_GetItemString(words.get(), "bit_generator")));
  if (!PyUnicode_Check(name.get()) || PyUnicode_CompareWithASCIIString(name.get(), "MT19937") != 0) return {};
  const Ref lock(check(PyObject_GetAttrString(bits.get(), "lock")));
  auto exchanged = std::make_unique<ExchangedState>(state, bits.get(), lock.get());
  WaitingGauss* const gauss = exchanged->gauss();
  MT19937::State* const twister = exchanged->twister();
  auto generator = make_intrusive<Generator>(make_intrusive<MT19937>(twister, std::move(exchanged)), true);
  generator->gauss = gauss;
  return generator;
}

}  // namespace

intrusive_ptr<Generator> share_numpys_generator(PyObject* state, PyObject* probe) {
  if (is_on(Switch::GeneratorMemory))
    if (intrusive_ptr<Generator> shared = generator_in_numpys_memory(state, probe)) return shared;
  return generator_with_exchanged_state(state);
}

}  // namespace tnp::python
