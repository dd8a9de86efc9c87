#include "aten/compiler/boxed.h"

#include <string>
#include <unordered_map>

#include "aten/boxed_families.h"

namespace tnp::compiler {

int BoxWriter::number_of(const Tensor& t) {
  if (!t.defined()) return -1;
  call_.tensors.push_back(t);
  return static_cast<int>(call_.tensors.size()) - 1;
}

Tensor BoxedResults::take_tensor(size_t& at) {
  TNP_CHECK(at < tensors.size(), ErrorKind::Runtime, "a transformation returned ", static_cast<int64_t>(tensors.size()),
            " results for an operator that has more");
  return tensors[at++];
}

std::vector<Tensor> BoxedResults::take_list(size_t& at, bool is_last) {
  TNP_CHECK(is_last, ErrorKind::NotImplemented, "a transformation of an operator that returns several lists");
  std::vector<Tensor> list(tensors.begin() + static_cast<std::ptrdiff_t>(at), tensors.end());
  at = tensors.size();
  return list;
}

void BoxedResults::check_all_taken(size_t at) const {
  TNP_CHECK(at == tensors.size(), ErrorKind::Runtime, "a transformation returned ",
            static_cast<int64_t>(tensors.size()), " results for an operator that has ", static_cast<int64_t>(at));
}

namespace {

struct Index {
  BoxedFunctions all;
  std::unordered_map<const void*, const BoxedFunction*> by_op;
  std::unordered_map<std::string_view, const BoxedFunction*> by_name;
  Index() {
    add_boxed_families(all);
    for (const BoxedFunction& f : all) {
      by_op.emplace(f.op, &f);
      by_name.emplace(f.name, &f);
    }
  }
};

const Index& index() {
  static const Index made;
  return made;
}

}  // namespace

const BoxedFunction* find_boxed(const void* op) {
  const auto found = index().by_op.find(op);
  return found == index().by_op.end() ? nullptr : found->second;
}

const BoxedFunction* find_boxed_by_name(std::string_view name) {
  const auto found = index().by_name.find(name);
  return found == index().by_name.end() ? nullptr : found->second;
}

const BoxedFunctions& all_boxed() { return index().all; }

}  // namespace tnp::compiler
