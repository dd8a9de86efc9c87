#include "csrc/objects/generator.h"

#include <string>

#include "aten/core/device_runtime.h"
#include "aten/core/error.h"
#include "csrc/objects/device.h"
#include "csrc/objects/dtypes.h"
#include "csrc/objects/errors.h"
#include "csrc/objects/numpys_generator.h"

namespace tnp::python {

namespace {

struct THPGenerator {
  PyObject_HEAD intrusive_ptr<Generator> generator;
};

PyTypeObject* generator_type = nullptr;

Generator& of(PyObject* self) { return *reinterpret_cast<THPGenerator*>(self)->generator; }

// Names messages: these functions are no operators, so there are no argument names to translate.
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

// Somebody else's bits, through the interface that NumPy gives its users: numpy/random/bitgen.h.
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

constexpr uint64_t kDefaultSeed = 67280421310721;  // torch.Generator's

// Generator(bits=None, legacy=None, device=None): bits is a name, another Generator (whose bits are shared), a capsule,
// or a device, as PyTorch has it. Without bits, a legacy MT19937; for a GPU a Philox.
PyObject* generator_new(PyTypeObject*, PyObject* args, PyObject* kwargs) {
  return guarded([&]() -> PyObject* {
    PyObject *bits = Py_None, *device = Py_None;
    int legacy = -1;
    static const char* names[] = {"bits", "legacy", "device", nullptr};
    check(PyArg_ParseTupleAndKeywords(args, kwargs, "|OpO:Generator", const_cast<char**>(names), &bits, &legacy,
                                      &device) != 0);
    if (device == Py_None && names_device(bits)) std::swap(bits, device);
    const Device on = device_from_object(device).value_or(Device{});
    if (!on.is_cpu()) runtime_of(on);  // raises where there is none
    if (legacy < 0) legacy = on.is_cpu();
    intrusive_ptr<BitGenerator> made;
    if (bits == Py_None) {
      made = make_bit_generator(on.is_cpu() ? "MT19937" : "Philox");
    } else if (PyUnicode_Check(bits)) {
      const char* name = PyUnicode_AsUTF8(bits);
      check(name != nullptr);
      made = make_bit_generator(name);
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

PyObject* set_state(PyObject* self, PyObject* sequence) {
  return guarded([&]() -> PyObject* {
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

PyObject* next_raw(PyObject* self, PyObject*) {
  return guarded([&] {
    auto lock = of(self).bits->lock();
    return check(PyLong_FromUnsignedLongLong(of(self).bits->next_raw()));
  });
}

PyObject* generator_manual_seed(PyObject* self, PyObject* seed) {
  return guarded([&]() -> PyObject* {
    uint64_t value = PyLong_AsUnsignedLongLongMask(seed);
    check(!PyErr_Occurred());
    seed_bits(of(self), value);
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
// The waiting Gaussian of the polar method, or None.
PyObject* get_gauss(PyObject* self, void*) {
  if (!of(self).gauss->is_there) Py_RETURN_NONE;
  return PyFloat_FromDouble(of(self).gauss->value);
}
int set_gauss(PyObject* self, PyObject* value, void*) {
  Generator& g = of(self);
  if (!value || value == Py_None) {
    *g.gauss = {};
    return 0;
  }
  double v = PyFloat_AsDouble(value);
  if (v == -1 && PyErr_Occurred()) return -1;
  *g.gauss = {1, v};
  return 0;
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
    if (!on.is_cpu()) runtime_of(on);  // raises where there is none
    return wrap_generator(intrusive_ptr<Generator>(&default_generator(on)));
  });
}

PyObject* set_default_generator_object(PyObject*, PyObject* o) {
  return guarded([&]() -> PyObject* {
    set_default_generator(read_generator(o));
    Py_RETURN_NONE;
  });
}

PyMethodDef methods[] = {
    {"get_words", get_state, METH_NOARGS, "The state of the bit generator as a list of integers."},
    {"set_words", set_state, METH_O, "Sets the state of the bit generator from such a list."},
    {"next_raw", next_raw, METH_NOARGS, "The next word of the bit generator."},
    {"manual_seed", generator_manual_seed, METH_O, "Seeds the generator; returns it."},
    {"seed", generator_seed, METH_NOARGS, "Seeds the generator from the system's entropy; returns the seed."},
    {"initial_seed", generator_initial_seed, METH_NOARGS, "What the generator was seeded with last."},
    {nullptr, nullptr, 0, nullptr}};
PyGetSetDef getset[] = {
    {"device", get_device, nullptr, "The device that the generator was made for.", nullptr},
    {"name", get_name, nullptr, "The bit generator's name.", nullptr},
    {"legacy", get_legacy, nullptr, "Whether it draws as numpy.random.RandomState does.", nullptr},
    {"gauss", get_gauss, set_gauss, "The second number of a pair of legacy Gaussians, or None.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyType_Slot slots[] = {{Py_tp_new, reinterpret_cast<void*>(generator_new)},
                       {Py_tp_dealloc, reinterpret_cast<void*>(generator_dealloc)},
                       {Py_tp_methods, methods},
                       {Py_tp_getset, getset},
                       {Py_tp_doc, const_cast<char*>("Generator(bits=None, legacy=None, device=None)\n--\n\nA source "
                                                     "of random numbers: an MT19937, for a GPU a Philox, whose "
                                                     "numbers are drawn there; or the bit generator that `bits` names. "
                                                     "The numbers do not depend on where they are put.")},
                       {0, nullptr}};
PyType_Spec spec = {"torch_np._C.Generator", sizeof(THPGenerator), 0, Py_TPFLAGS_DEFAULT, slots};

PyMethodDef functions[] = {
    {"_default_generator", default_generator_object, METH_VARARGS,
     "The generator of operators that are given none, for a device."},
    {"_numpys_generator", numpys_generator, METH_VARARGS,
     "A generator over the state of a RandomState of NumPy's; None if that does not lie in memory as another one, "
     "which is "
     "drawn from, shows it."},
    {"_set_default_generator", set_default_generator_object, METH_O, "Makes another generator that one."},
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

bool init_generator(PyObject* module) {
  generator_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
  return generator_type &&
         PyModule_AddObjectRef(module, "Generator", reinterpret_cast<PyObject*>(generator_type)) == 0 &&
         PyModule_AddFunctions(module, functions) == 0;
}

}  // namespace tnp::python
