#include "csrc/objects/not_held.h"

#include <atomic>

#include "csrc/objects/numpy_api.h"
#include "csrc/objects/python_error.h"

namespace tnp::python {

namespace {

std::atomic<bool> process_allows{true};
enum class Answer : int8_t { None, No, Yes };
thread_local constinit Answer thread_answer = Answer::None;

PyObject* object_of(Answer answer) {
  return Py_NewRef(answer == Answer::None ? Py_None : answer == Answer::Yes ? Py_True : Py_False);
}

// The object that an error of set_not_held_object() (csrc/convert/held.h) is about: its second
// argument. Null if the error has a text.
PyObject* object_of_error(PyObject* error) {
  PyObject* const args = reinterpret_cast<PyBaseExceptionObject*>(error)->args;
  return args && PyTuple_GET_SIZE(args) == 2 ? PyTuple_GET_ITEM(args, 1) : nullptr;
}

PyObject* text_of_error(PyObject* error) {
  PyObject* const object = object_of_error(error);
  if (!object) return reinterpret_cast<PyTypeObject*>(PyExc_TypeError)->tp_str(error);
  auto* const make_dtype = reinterpret_cast<PyObject*>(numpy_api().dtype_type);
  const bool is_dtype = PyType_Check(object) || PyObject_TypeCheck(object, numpy_api().dtype_type);
  const Ref dtype(is_dtype ? PyObject_CallOneArg(make_dtype, object) : PyObject_GetAttrString(object, "dtype"));
  PyErr_Clear();
  return dtype ? PyUnicode_FromFormat("torch_np has no dtype '%S'", dtype.get())
               : PyUnicode_FromFormat("torch_np has no dtype for %.200R", object);
}

}  // namespace

thread_local constinit int Within::depth_ = 0;

PyObject* not_held_error() {
  static PyObject* type = [] {
    PyObject* made = PyErr_NewExceptionWithDoc(
        "torch_np._C.NotHeldError",
        "An argument has a dtype or layout that the engine does not support. Such calls fall back to NumPy.",
        PyExc_TypeError, nullptr);
    if (!made) PyErr_Clear();
    if (made) reinterpret_cast<PyTypeObject*>(made)->tp_str = text_of_error;
    return made ? made : PyExc_TypeError;
  }();
  return type;
}

void raise_not_held(const std::string& message) { raise_python(not_held_error(), message); }

bool fallback_allowed() {
  return thread_answer == Answer::None ? process_allows.load(std::memory_order_relaxed) : thread_answer == Answer::Yes;
}

bool clear_not_held() {
  if (!PyErr_Occurred() || !PyErr_ExceptionMatches(not_held_error())) return false;
  PyErr_Clear();
  return true;
}

PyObject* set_fallback(PyObject*, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"allowed", "thread", nullptr};
  PyObject* allowed;
  int thread = 0;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|p:_set_fallback", const_cast<char**>(names), &allowed, &thread))
    return nullptr;
  const Answer answer = allowed == Py_None ? Answer::None : PyObject_IsTrue(allowed) ? Answer::Yes : Answer::No;
  if (!thread) return PyBool_FromLong(process_allows.exchange(answer != Answer::No));
  return object_of(std::exchange(thread_answer, answer));
}

}  // namespace tnp::python
