// Lines of the program, to which reports (torch_np/_report) attribute the operators of a profile:
// set_line_reader() of aten/core/profiler/marks.h.
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "aten/core/profiler/marks.h"
#include "csrc/module/modules.h"
#include "csrc/objects/errors.h"
#include "csrc/objects/python_error.h"

namespace tnp::python {

namespace {

enum class Whose : uint8_t { Ours, Library, Program };

struct Lines {
  std::vector<std::string> ours, libraries;        // folders
  std::unordered_map<PyCodeObject*, Whose> whose;  // holds references, so that addresses are not used again
  std::map<std::pair<PyCodeObject*, int>, int64_t> numbers;
  std::vector<std::pair<PyCodeObject*, int>> by_number;
};
Lines* lines = nullptr;  // guarded by the GIL

bool begins_with_any(const std::string& path, const std::vector<std::string>& folders) {
  for (const std::string& folder : folders)
    if (path.compare(0, folder.size(), folder) == 0) return true;
  return false;
}

Whose whose(PyCodeObject* code) {
  const auto known = lines->whose.find(code);
  if (known != lines->whose.end()) return known->second;
  const char* const text = PyUnicode_AsUTF8(code->co_filename);
  if (!text) PyErr_Clear();
  const std::string path = text ? text : "";
  const Whose found = begins_with_any(path, lines->ours)        ? Whose::Ours
                      : begins_with_any(path, lines->libraries) ? Whose::Library
                                                                : Whose::Program;
  Py_INCREF(code);
  lines->whose.emplace(code, found);
  return found;
}

int64_t number_of(PyCodeObject* code, int line) {
  const auto [at, is_new] =
      lines->numbers.emplace(std::pair(code, line), static_cast<int64_t>(lines->by_number.size()) + 1);
  if (is_new) lines->by_number.emplace_back(code, line);
  return at->second;
}

// The innermost line of the program; of a library if the program has none.
int64_t read_line() noexcept try {
  if (!PyGILState_Check() || !lines) return 0;
  int64_t of_library = 0;
  Ref frame(reinterpret_cast<PyObject*>(PyThreadState_GetFrame(PyThreadState_Get())));
  while (frame) {
    auto* const f = reinterpret_cast<PyFrameObject*>(frame.get());
    const Ref code(reinterpret_cast<PyObject*>(PyFrame_GetCode(f)));
    auto* const c = reinterpret_cast<PyCodeObject*>(code.get());
    const Whose found = whose(c);
    if (found == Whose::Program || (found == Whose::Library && of_library == 0)) {
      const int64_t number = number_of(c, PyFrame_GetLineNumber(f));
      if (found == Whose::Program) return number;
      of_library = number;
    }
    frame = Ref(reinterpret_cast<PyObject*>(PyFrame_GetBack(f)));
  }
  return of_library;
} catch (const std::bad_alloc&) {
  return 0;
}

bool read_folders(PyObject* sequence, std::vector<std::string>& folders) {
  const Ref items(PySequence_Fast(sequence, "folders must be a sequence"));
  for (Py_ssize_t i = 0; items && i < PySequence_Fast_GET_SIZE(items.get()); ++i) {
    const char* const text = PyUnicode_AsUTF8(PySequence_Fast_GET_ITEM(items.get(), i));
    if (!text) return false;
    folders.emplace_back(text);
  }
  return static_cast<bool>(items);
}

PyObject* begin_lines(PyObject*, PyObject* args) {
  PyObject *ours, *libraries;
  if (!PyArg_ParseTuple(args, "OO", &ours, &libraries)) return nullptr;
  if (!lines) lines = new Lines;
  lines->ours.clear();
  lines->libraries.clear();
  if (!read_folders(ours, lines->ours) || !read_folders(libraries, lines->libraries)) return nullptr;
  profiler::set_line_reader(read_line);
  Py_RETURN_NONE;
}

PyObject* end_lines(PyObject*, PyObject*) {
  profiler::set_line_reader(nullptr);
  const Ref list(PyList_New(0));
  if (!list || !lines) return list ? Py_NewRef(list.get()) : nullptr;
  for (const auto& [code, line] : lines->by_number) {
    const Ref item(Py_BuildValue("(OiO)", code->co_filename, line, code->co_name));
    if (!item || PyList_Append(list.get(), item.get()) < 0) return nullptr;
  }
  for (const auto& [code, found] : lines->whose) Py_DECREF(code);
  delete std::exchange(lines, nullptr);
  return Py_NewRef(list.get());
}

PyMethodDef functions[] = {
    {"_profiler_begin_lines", begin_lines, METH_VARARGS,
     "_profiler_begin_lines(ours, libraries): lets the profiler record the lines of the program: those of\n"
     "files outside of these folders."},
    {"_profiler_end_lines", end_lines, METH_NOARGS,
     "Ends the recording of lines. Returns the lines (file, line, function); the number of a line is its\n"
     "place in the list, plus one."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

bool add_program_lines(PyObject* module) { return PyModule_AddFunctions(module, functions) == 0; }

}  // namespace tnp::python
