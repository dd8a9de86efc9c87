#include "csrc/objects/generator.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "aten/core/devices/device_runtime.h"
#include "aten/core/errors/error.h"
#include "aten/functions/copies.h"
#include "aten/random/bit_generators.h"
#include "aten/random/seed_sequence.h"
#include "csrc/objects/device.h"
#include "csrc/objects/dtypes.h"
#include "csrc/objects/errors.h"
#include "csrc/objects/numpys_generator.h"
#include "csrc/objects/variable.h"

namespace tnp::python {

namespace {

struct THPGenerator {
  PyObject_HEAD intrusive_ptr<Generator> generator;
};

PyTypeObject* generator_type = nullptr;

Generator& of(PyObject* self) { return *reinterpret_cast<THPGenerator*>(self)->generator; }

// The function name in error messages. There are no argument names to translate, since these
// functions are not operators.
class Named final : public CalledFunction {
 public:
  const char* function() const override { return "Generator"; }
  std::string_view name_of(std::string_view native) const override { return native; }
};

template <class F>
PyObject* guarded(F&& body) {
  static const Named name;
  return protect<true>(static_cast<PyObject*>(nullptr), &name, std::forward<F>(body));
}

// A foreign bit generator, through NumPy's public interface numpy/random/bitgen.h.
class ForeignBitGenerator final : public BitGenerator {
 public:
  struct Interface {
    void* state;
    uint64_t (*next_uint64)(void*);
    uint32_t (*next_uint32)(void*);
    double (*next_double)(void*);
    uint64_t (*next_raw)(void*);
  };
  explicit ForeignBitGenerator(PyObject* capsule)
      : BitGenerator(Kind::Foreign),
        bits_(static_cast<Interface*>(PyCapsule_GetPointer(capsule, "BitGenerator"))),
        owner_(capsule) {
    check(bits_ != nullptr);
    Py_INCREF(owner_);
  }
  ~ForeignBitGenerator() override {
    if (bits_) Py_DECREF(owner_);
  }
  uint64_t next_uint64() override { return bits_->next_uint64(bits_->state); }
  uint32_t next_uint32() override { return bits_->next_uint32(bits_->state); }
  double next_double() override { return bits_->next_double(bits_->state); }
  uint64_t next_raw() override { return bits_->next_raw(bits_->state); }
  std::vector<uint64_t> state() const override {
    TNP_RAISE(ErrorKind::NotImplemented, "the state of a foreign bit generator is with its own object");
  }
  void set_state(const std::vector<uint64_t>&) override {
    TNP_RAISE(ErrorKind::NotImplemented, "the state of a foreign bit generator is with its own object");
  }

 private:
  Interface* bits_;
  PyObject* owner_;
};

PyObject* wrap_generator(intrusive_ptr<Generator> g) {
  PyObject* self = generator_type->tp_alloc(generator_type, 0);
  if (self) new (&reinterpret_cast<THPGenerator*>(self)->generator) intrusive_ptr<Generator>(std::move(g));
  return self;
}

constexpr uint64_t kDefaultSeed = 67280421310721;  // the seed of torch.Generator

// Generator(bits=None, legacy=None, device=None): bits is a name, another Generator (whose bits are
// shared), a capsule, or a device, as in PyTorch. Without bits, the generator is an MT19937 with
// PyTorch's stream, or a Philox for a GPU.
PyObject* generator_new(PyTypeObject*, PyObject* args, PyObject* kwargs) {
  return guarded([&]() -> PyObject* {
    PyObject *bits = Py_None, *device = Py_None;
    int legacy = -1;
    static const char* names[] = {"bits", "legacy", "device", nullptr};
    check(PyArg_ParseTupleAndKeywords(args, kwargs, "|OpO:Generator", const_cast<char**>(names), &bits, &legacy,
                                      &device) != 0);
    if (device == Py_None && names_device(bits)) std::swap(bits, device);
    const Device on = device_from_object(device).value_or(Device{});
    if (!on.is_cpu()) runtime_of(on);  // raises if there is no such GPU
    if (legacy < 0) legacy = on.is_cpu();
    if (bits == Py_None && on.is_cpu()) {
      auto generator = make_torch_generator();
      seed_bits(*generator, kDefaultSeed);
      return wrap_generator(std::move(generator));
    }
    intrusive_ptr<BitGenerator> made;
    if (bits == Py_None) {
      made = make_bit_generator("Philox");
    } else if (PyUnicode_Check(bits)) {
      const char* name = PyUnicode_AsUTF8(bits);
      check(name != nullptr);
      try {
        made = make_bit_generator(name);
      } catch (const Error&) {
        raise_python(PyExc_RuntimeError, std::string(name) + " is neither a device nor a known BitGenerator");
      }
    } else if (Py_TYPE(bits) == generator_type) {
      made = of(bits).bits;
    } else {
      made = make_intrusive<ForeignBitGenerator>(bits);
    }
    auto generator = make_intrusive<Generator>(std::move(made), legacy != 0);
    generator->device = on;
    if (bits == Py_None || PyUnicode_Check(bits)) seed_bits(*generator, kDefaultSeed);
    return wrap_generator(std::move(generator));
  });
}

void generator_dealloc(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  std::destroy_at(&reinterpret_cast<THPGenerator*>(self)->generator);
  type->tp_free(self);
  Py_DECREF(type);
}

PyObject* get_state(PyObject* self, PyObject*) {
  return guarded([&]() -> PyObject* {
    auto lock = of(self).bits->lock();
    std::vector<uint64_t> words = of(self).bits->state();
    Ref list(check(PyList_New(static_cast<Py_ssize_t>(words.size()))));
    for (size_t i = 0; i < words.size(); ++i)
      PyList_SET_ITEM(list.get(), static_cast<Py_ssize_t>(i), check(PyLong_FromUnsignedLongLong(words[i])));
    return list.release();
  });
}

// The words of a buffer of uint64; nothing for other objects.
std::optional<std::vector<uint64_t>> words_of_buffer(PyObject* o) {
  if (!PyObject_CheckBuffer(o)) return std::nullopt;
  Py_buffer view;
  check(PyObject_GetBuffer(o, &view, PyBUF_CONTIG_RO) == 0);
  std::vector<uint64_t> words(static_cast<size_t>(view.len) / sizeof(uint64_t));
  std::memcpy(words.data(), view.buf, words.size() * sizeof(uint64_t));
  PyBuffer_Release(&view);
  return words;
}

PyObject* set_state(PyObject* self, PyObject* sequence) {
  return guarded([&]() -> PyObject* {
    if (const auto given = words_of_buffer(sequence)) {
      auto lock = of(self).bits->lock();
      of(self).bits->set_state(*given);
      Py_RETURN_NONE;
    }
    Ref fast(check(PySequence_Fast(sequence, "state must be a sequence of integers")));
    std::vector<uint64_t> words(static_cast<size_t>(PySequence_Fast_GET_SIZE(fast.get())));
    for (size_t i = 0; i < words.size(); ++i) {
      words[i] = PyLong_AsUnsignedLongLong(PySequence_Fast_GET_ITEM(fast.get(), static_cast<Py_ssize_t>(i)));
      check(!PyErr_Occurred());
    }
    auto lock = of(self).bits->lock();
    of(self).bits->set_state(words);
    Py_RETURN_NONE;
  });
}

PyObject* set_pool(PyObject* self, PyObject* pool) {
  return guarded([&]() -> PyObject* {
    Py_buffer view;
    check(PyObject_GetBuffer(pool, &view, PyBUF_CONTIG_RO) == 0);
    std::vector<uint32_t> words(static_cast<size_t>(view.len) / sizeof(uint32_t));
    std::memcpy(words.data(), view.buf, words.size() * sizeof(uint32_t));
    PyBuffer_Release(&view);
    auto lock = of(self).bits->lock();
    seed_from_pool(*of(self).bits, words);
    Py_RETURN_NONE;
  });
}

PyObject* next_raw(PyObject* self, PyObject*) {
  return guarded([&] {
    auto lock = of(self).bits->lock();
    return check(PyLong_FromUnsignedLongLong(of(self).bits->next_raw()));
  });
}

// Reads a seed from -2^63 to 2^64 - 1; negative seeds become their two's complement.
uint64_t read_seed(PyObject* seed) {
  Ref index(check(PyNumber_Index(seed)));
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(index.get(), &overflow);
  check(value != -1 || !PyErr_Occurred());
  if (overflow == 0) return static_cast<uint64_t>(value);
  const unsigned long long large = overflow > 0 ? PyLong_AsUnsignedLongLong(index.get()) : 0;
  if (overflow < 0 || (large == static_cast<unsigned long long>(-1) && PyErr_Occurred())) {
    PyErr_Clear();
    TNP_RAISE(ErrorKind::Value, "a seed of 64 bits is expected");
  }
  return large;
}

// PyTorch's state of 5,056 bytes: seed, number of words until the state is renewed, whether it is
// seeded, index of the next word, the state as 64-bit words, and the cached second Gaussian of a
// pair. Other generators use the words of their own state.
struct TorchState {
  uint64_t seed;
  int32_t left, seeded;
  uint64_t next, state[MT19937::kLength];
  double x, y, rho;
  int32_t is_there;
  float single;
  uint64_t single_is_there;
};
static_assert(sizeof(TorchState) == 5056);

PyObject* get_state_bytes(PyObject* self, PyObject*) {
  return guarded([&]() -> PyObject* {
    Generator& g = of(self);
    auto lock = g.bits->lock();
    const std::vector<uint64_t> words = g.bits->state();
    if (!g.torch) {
      Tensor bytes = empty_tensor({static_cast<int64_t>(8 * words.size())}, ScalarType::UInt8);
      std::memcpy(bytes.data_ptr<uint8_t>(), words.data(), 8 * words.size());
      return wrap<false>(bytes);
    }
    TorchState state{};
    state.seed = g.seed;
    state.seeded = 1;
    const auto position = static_cast<int32_t>(words[MT19937::kLength]);
    // An exhausted state looks like a new one: it is renewed before the next word.
    const bool fresh = position == MT19937::kLength;
    state.left = fresh ? 1 : MT19937::kLength + 1 - position;
    state.next = fresh ? 0 : static_cast<uint64_t>(position);
    std::copy_n(words.begin(), MT19937::kLength, state.state);
    state.is_there = g.gauss->is_there;
    state.y = g.gauss->is_there ? g.gauss->value : 0;
    Tensor bytes = empty_tensor({static_cast<int64_t>(sizeof(state))}, ScalarType::UInt8);
    std::memcpy(bytes.data_ptr<uint8_t>(), &state, sizeof(state));
    return wrap<false>(bytes);
  });
}

PyObject* set_state_bytes(PyObject* self, PyObject* given) {
  return guarded([&]() -> PyObject* {
    TNP_CHECK(is_variable(given) && unwrap(given).dtype() == ScalarType::UInt8, ErrorKind::Type,
              "RNG state must be a tensor of uint8");
    const Tensor bytes = tnp::contiguous(unwrap(given));
    TNP_CHECK(bytes.device().is_cpu() && bytes.dim() == 1, ErrorKind::Runtime,
              "RNG state must be a tensor of one dimension on the CPU");
    Generator& g = of(self);
    auto lock = g.bits->lock();
    if (!g.torch) {
      TNP_CHECK(bytes.numel() % 8 == 0, ErrorKind::Runtime, "RNG state is wrong size");
      std::vector<uint64_t> words(static_cast<size_t>(bytes.numel() / 8));
      std::memcpy(words.data(), bytes.data_ptr<uint8_t>(), 8 * words.size());
      g.bits->set_state(words);
      return Py_NewRef(self);
    }
    TNP_CHECK(bytes.numel() == static_cast<int64_t>(sizeof(TorchState)), ErrorKind::Runtime,
              "Expected an RNG state of ", static_cast<int64_t>(sizeof(TorchState)), " bytes but got ", bytes.numel());
    TorchState state;
    std::memcpy(&state, bytes.data_ptr<uint8_t>(), sizeof(state));
    const bool fresh = state.left == 1 && state.next == 0;
    TNP_CHECK(state.seeded == 1 && (fresh || (state.next <= MT19937::kLength &&
                                              state.left == MT19937::kLength + 1 - static_cast<int32_t>(state.next))),
              ErrorKind::Runtime, "Invalid mt19937 state");
    std::vector<uint64_t> words(state.state, state.state + MT19937::kLength);
    words.push_back(fresh ? MT19937::kLength : state.next);
    g.bits->set_state(words);
    g.seed = state.seed;
    *g.gauss = {state.is_there != 0, state.is_there != 0 ? state.y : 0};
    return Py_NewRef(self);
  });
}

PyObject* generator_manual_seed(PyObject* self, PyObject* seed) {
  return guarded([&]() -> PyObject* {
    seed_bits(of(self), read_seed(seed));
    Py_INCREF(self);
    return self;
  });
}

PyObject* generator_seed(PyObject* self, PyObject*) {
  return guarded([&] {
    const uint64_t value = random_seed();
    seed_bits(of(self), value);
    return check(PyLong_FromUnsignedLongLong(value));
  });
}

PyObject* generator_initial_seed(PyObject* self, PyObject*) { return PyLong_FromUnsignedLongLong(of(self).seed); }

PyObject* get_device(PyObject* self, void*) {
  return guarded([&] { return make_device(of(self).device); });
}
PyObject* get_name(PyObject* self, void*) {
  static constexpr const char* names[] = {"PCG64", "PCG64DXSM", "MT19937", "Philox", "SFC64", "foreign"};
  return PyUnicode_FromString(names[static_cast<int>(of(self).bits->kind())]);
}
PyObject* get_legacy(PyObject* self, void*) { return PyBool_FromLong(of(self).legacy); }
// The cached second Gaussian of the polar method, or None.
PyObject* get_gauss(PyObject* self, void*) {
  return guarded([&]() -> PyObject* {
    auto lock = of(self).bits->lock();
    if (!of(self).gauss->is_there) Py_RETURN_NONE;
    return check(PyFloat_FromDouble(of(self).gauss->value));
  });
}
int set_gauss(PyObject* self, PyObject* value, void*) {
  WaitingGauss given;
  if (value && value != Py_None) given = {1, PyFloat_AsDouble(value)};
  if (PyErr_Occurred()) return -1;
  const Ref done(guarded([&] {
    auto lock = of(self).bits->lock();
    *of(self).gauss = given;
    return Py_NewRef(Py_None);
  }));
  return done ? 0 : -1;
}

PyObject* numpys_generator(PyObject*, PyObject* args) {
  return guarded([&]() -> PyObject* {
    PyObject *state = nullptr, *probe = nullptr;
    check(PyArg_ParseTuple(args, "OO:_numpys_generator", &state, &probe) != 0);
    intrusive_ptr<Generator> shared = share_numpys_generator(state, probe);
    if (!shared) Py_RETURN_NONE;
    return wrap_generator(std::move(shared));
  });
}

PyObject* default_generator_object(PyObject*, PyObject* args) {
  return guarded([&] {
    PyObject* device = Py_None;
    check(PyArg_ParseTuple(args, "|O:_default_generator", &device) != 0);
    const Device on = device_from_object(device).value_or(Device{});
    if (!on.is_cpu()) runtime_of(on);  // raises if there is no such GPU
    return wrap_generator(intrusive_ptr<Generator>(&default_generator(on)));
  });
}

PyObject* default_torch_generator_object(PyObject*, PyObject*) {
  return guarded([&] { return wrap_generator(intrusive_ptr<Generator>(&default_torch_generator())); });
}

PyObject* manual_seed_all(PyObject*, PyObject* seed) {
  return guarded([&]() -> PyObject* {
    manual_seed(read_seed(seed));
    Py_RETURN_NONE;
  });
}

PyObject* set_default_generator_object(PyObject*, PyObject* o) {
  return guarded([&]() -> PyObject* {
    set_default_generator(read_generator(o));
    Py_RETURN_NONE;
  });
}

PyMethodDef methods[] = {
    {"get_words", get_state, METH_NOARGS, "State of the bit generator as a list of integers."},
    {"set_words", set_state, METH_O,
     "Sets the state of the bit generator from a list that get_words returned, or an array of uint64."},
    {"set_pool", set_pool, METH_O, "Seeds the bit generator from the pool of a SeedSequence, an array of uint32."},
    {"next_raw", next_raw, METH_NOARGS, "Next word of the bit generator."},
    {"get_state", get_state_bytes, METH_NOARGS,
     "State of the generator as a uint8 tensor. The state of a CPU generator has PyTorch's layout."},
    {"set_state", set_state_bytes, METH_O,
     "Sets the state of the generator from a tensor that get_state returned.\n\n"
     "Errors: TypeError if it is not a uint8 tensor; RuntimeError if it is not a valid state."},
    {"manual_seed", generator_manual_seed, METH_O, "Seeds the generator with an integer and returns the generator."},
    {"seed", generator_seed, METH_NOARGS, "Seeds the generator from the system's entropy and returns the seed."},
    {"initial_seed", generator_initial_seed, METH_NOARGS, "Seed that the generator was given last."},
    {nullptr, nullptr, 0, nullptr}};
PyGetSetDef getset[] = {
    {"device", get_device, nullptr, "Device that the generator was made for.", nullptr},
    {"name", get_name, nullptr, "Name of the bit generator, such as 'MT19937'.", nullptr},
    {"legacy", get_legacy, nullptr, "Whether the distributions are those of numpy.random.RandomState.", nullptr},
    {"gauss", get_gauss, set_gauss, "Cached second number of a pair of legacy Gaussians, or None.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyType_Slot slots[] = {
    {Py_tp_new, reinterpret_cast<void*>(generator_new)},
    {Py_tp_dealloc, reinterpret_cast<void*>(generator_dealloc)},
    {Py_tp_methods, methods},
    {Py_tp_getset, getset},
    {Py_tp_doc, const_cast<char*>("Generator(bits=None, legacy=None, device=None)\n--\n\n"
                                  "A generator of random numbers.\n\n"
                                  "By default it is an MT19937 on the CPU and a Philox on a GPU, which\n"
                                  "draws there. For the same state it gives the same numbers, whichever\n"
                                  "device receives them.\n\n"
                                  "Args:\n"
                                  "  bits: Name of a bit generator, another Generator that shares its bits,\n"
                                  "    a NumPy bit generator, or a device. None is the default of the\n"
                                  "    device.\n"
                                  "  legacy: Whether to draw as numpy.random.RandomState does. If left out,\n"
                                  "    True on the CPU and False on a GPU.\n"
                                  "  device: Device of the generator; None is the CPU.")},
    {0, nullptr}};
PyType_Spec spec = {"torch_np._C.Generator", sizeof(THPGenerator), 0, Py_TPFLAGS_DEFAULT, slots};

PyMethodDef functions[] = {
    {"_default_generator", default_generator_object, METH_VARARGS,
     "_default_generator(device=None): default generator of NumPy's face on a device."},
    {"_default_torch_generator", default_torch_generator_object, METH_NOARGS,
     "Default CPU generator of PyTorch's face."},
    {"_manual_seed", manual_seed_all, METH_O, "Seeds the default generators of PyTorch's face on all devices."},
    {"_numpys_generator", numpys_generator, METH_VARARGS,
     "_numpys_generator(state, probe): generator that shares the state of the numpy.random.RandomState\n"
     "`state`. None if its bit generator is not an MT19937. `probe`: another RandomState, which is\n"
     "drawn from as a test of its memory layout."},
    {"_set_default_generator", set_default_generator_object, METH_O,
     "Replaces the default CPU generator of NumPy's face."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

intrusive_ptr<Generator> read_generator(PyObject* o) {
  if (Py_TYPE(o) == generator_type) return reinterpret_cast<THPGenerator*>(o)->generator;
  Ref inner(PyObject_GetAttrString(o, "_generator"));
  if (inner && Py_TYPE(inner.get()) == generator_type) return reinterpret_cast<THPGenerator*>(inner.get())->generator;
  PyErr_Clear();
  PyErr_Format(PyExc_TypeError, "expected a Generator, got %s", Py_TYPE(o)->tp_name);
  throw PythonError();
}

PyObject* generator_object(Generator* generator) { return wrap_generator(intrusive_ptr<Generator>(generator)); }

bool init_generator(PyObject* module) {
  generator_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
  return generator_type &&
         PyModule_AddObjectRef(module, "Generator", reinterpret_cast<PyObject*>(generator_type)) == 0 &&
         PyModule_AddFunctions(module, functions) == 0;
}

}  // namespace tnp::python
