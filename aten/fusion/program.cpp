#include "aten/fusion/program.h"

#include <algorithm>
#include <mutex>

#include "aten/core/allocator.h"
#include "aten/core/floating_point_errors.h"
#include "aten/core/parallel.h"
#include "aten/fusion/counters.h"
#include "aten/iterator/cast.h"

namespace tnp::fusion {

namespace {

// What all that a block touches may take up.
constexpr int64_t kBlockBytes = 64 * 1024;
constexpr int64_t kLeastBlock = 256, kLargestBlock = 4096;  // elements
// Shorter ones of operands that are not dense are gathered: a loop takes its time to begin with each.
constexpr int64_t kLongLine = 512;
constexpr double kCostOfCast = 0.1;  // nanoseconds an element

bool is_waiting(const Operand& o) { return o.node && !o.node->value; }

}  // namespace

// --- what is to be computed

Program::Program(Node& root, bool is_shown)
    : is_shown_(is_shown), sizes_(root.sizes), axes_(root.sizes), numel_(root.numel), mark_(new_mark()) {
  collect(root);
  collect_relatives();
  for (const intrusive_ptr<Node>& node : nodes_) add_steps(*node, node.get() == &root);
  merge_axes();
  assign_slots();
  choose_block();
  errors_ = std::vector<std::atomic<uint8_t>>(steps_.size());
}

void Program::collect(Node& node) {
  node.mark = mark_;
  for (int i = 0; i < node.num_operands; ++i) {
    const Operand& o = node.operands[static_cast<size_t>(i)];
    if (is_waiting(o) && o.node->mark != mark_) collect(*o.node);
  }
  nodes_.emplace_back(&node);
}

// Whether it reads, maybe by way of others, a node of this program that nobody holds. Those would be computed twice.
bool Program::shares_unwritten(const Node& node, uint64_t mark) {
  for (int i = 0; i < node.num_operands; ++i) {
    const Operand& o = node.operands[static_cast<size_t>(i)];
    if (!is_waiting(o)) continue;
    if (o.node->mark == mark_) {
      if (!o.node->result) return true;
    } else if (o.node->mark != mark) {
      o.node->mark = mark;
      if (shares_unwritten(*o.node, mark)) return true;
    }
  }
  return false;
}

void Program::collect_relatives() {
  for (bool found = true; found;) {
    found = false;
    for (Node* n = first_node(); n; n = n->next) {
      if (!n->result || n->mark == mark_ || !(n->sizes == sizes_) || !shares_unwritten(*n, new_mark())) continue;
      collect(*n);
      found = true;
    }
  }
}

// --- values and steps

int Program::add(Value value) {
  values_.push_back(value);
  return static_cast<int>(values_.size()) - 1;
}

int Program::memory_value(const intrusive_ptr<Storage>& storage, char* data, ScalarType dtype,
                          const DimVector& strides) {
  for (size_t i = 0; i < values_.size(); ++i) {
    if (values_[i].kind == Value::Kind::Memory && values_[i].data == data && values_[i].dtype == dtype &&
        values_[i].strides == strides)
      return static_cast<int>(i);
  }
  inputs_.push_back({storage, storage->version(), storage->loans()});
  return add({.kind = Value::Kind::Memory, .dtype = dtype, .strides = strides, .data = data});
}

// The elements of an operand, in the dtype of the loop that reads them.
int Program::value_of(const Operand& o, ScalarType wanted, const char* watched) {
  int value = -1;
  if (is_waiting(o)) {
    for (const auto& [node, v] : value_of_node_)
      if (node == o.node.get()) value = v;
  } else if (o.node) {
    value = memory_value(o.node->value, o.node->value->data(), o.node->dtype, {});
  } else if (o.storage) {
    value = memory_value(o.storage, o.data, o.dtype, o.strides);
  } else {
    Value number{.kind = Value::Kind::Number, .dtype = wanted};
    std::copy_n(o.number, sizeof number.number, number.number);
    return add(number);
  }
  if (!o.cast) return value;
  const int cast = add({.kind = Value::Kind::Register, .dtype = wanted});
  add_step(o.cast, "cast", watched, cast, {&value, 1});
  cost_ += kCostOfCast;
  return cast;
}

void Program::add_step(Loop loop, const char* name, const char* watched, int out, std::span<const int> in) {
  Step step{loop, name, watched, 1 + static_cast<int>(in.size()), {out}};
  std::copy(in.begin(), in.end(), step.values.begin() + 1);
  const auto place = static_cast<int>(steps_.size());
  for (int k = 0; k < step.num_values; ++k)
    values_[static_cast<size_t>(step.values[static_cast<size_t>(k)])].last_step = place;
  steps_.push_back(step);
  is_watched_ = is_watched_ || watched;
}

void Program::add_steps(Node& node, bool is_root) {
  std::array<int, kMaxInputs> in = {};
  for (int i = 0; i < node.num_operands; ++i)
    in[static_cast<size_t>(i)] = value_of(node.operands[static_cast<size_t>(i)], node.loop->types[1 + i], node.watched);
  int out;
  if (node.result || is_root) {
    outputs_.emplace_back(node, is_shown_ ? 0 : static_cast<size_t>(numel_ * element_size(node.dtype)));
    out =
        add({.kind = Value::Kind::Memory, .dtype = node.dtype, .data = static_cast<char*>(outputs_.back().block.data)});
  } else {
    out = add({.kind = Value::Kind::Register, .dtype = node.dtype});
  }
  value_of_node_.emplace_back(&node, out);
  const int computed = node.cast ? add({.kind = Value::Kind::Register, .dtype = node.loop->types[0]}) : out;
  add_step(node.loop->loop, node.op->name, node.watched, computed, {in.data(), static_cast<size_t>(node.num_operands)});
  cost_ += node.op->cost;
  if (node.cast) {
    add_step(node.cast, "cast", node.watched, out, {&computed, 1});
    cost_ += kCostOfCast;
  }
}

// Neighbouring axes are one where all operands go through them in equal steps.
void Program::merge_axes() {
  for (size_t d = axes_.size() - 1; d-- > 0;) {
    const int64_t inner = axes_[d + 1];
    const bool is_one = std::all_of(values_.begin(), values_.end(), [&](const Value& v) {
      return v.strides.empty() || axes_[d] == 1 || inner == 1 || v.strides[d] == v.strides[d + 1] * inner;
    });
    if (!is_one) continue;
    for (Value& v : values_) {
      if (v.strides.empty()) continue;
      if (inner == 1) v.strides[d + 1] = v.strides[d];
      v.strides.erase(d);
    }
    axes_[d + 1] *= axes_[d];
    axes_.erase(d);
  }
}

int Program::new_slot(int64_t element_size) {
  slot_sizes_.push_back(element_size);
  slot_offsets_.push_back(scratch_bytes_);
  scratch_bytes_ += element_size;
  return static_cast<int>(slot_sizes_.size()) - 1;
}

// Registers that are no longer needed are used again, by values of the same size: a loop may write where it reads, if
// it is element for element. What is not dense in memory may have to be gathered in one of its own.
void Program::assign_slots() {
  std::vector<int> free;
  for (size_t s = 0; s < steps_.size(); ++s) {
    const Step& step = steps_[s];
    for (int k = 1; k < step.num_values; ++k) {
      const Value& v = values_[static_cast<size_t>(step.values[static_cast<size_t>(k)])];
      const bool is_done = v.kind == Value::Kind::Register && v.last_step == static_cast<int>(s);
      if (is_done && std::find(free.begin(), free.end(), v.slot) == free.end()) free.push_back(v.slot);
    }
    Value& out = values_[static_cast<size_t>(step.values[0])];
    if (out.kind != Value::Kind::Register) continue;
    const int64_t size = element_size(out.dtype);
    const auto fits = std::find_if(free.rbegin(), free.rend(),
                                   [&](int slot) { return slot_sizes_[static_cast<size_t>(slot)] == size; });
    if (fits != free.rend()) {
      out.slot = *fits;
      free.erase(std::next(fits).base());
    } else {
      out.slot = new_slot(size);
    }
  }
  for (Value& v : values_)
    if (!v.strides.empty()) v.slot = new_slot(element_size(v.dtype));
}

// Lines of operands that are not dense are read where they lie, if a block is a part of one.
void Program::choose_block() {
  int64_t bytes = scratch_bytes_;
  bool has_lines = false;
  for (const Value& v : values_) {
    if (v.kind == Value::Kind::Memory) bytes += element_size(v.dtype);
    has_lines = has_lines || !v.strides.empty();
  }
  block_ = std::clamp(kBlockBytes / std::max<int64_t>(bytes, 1) / 64 * 64, kLeastBlock, kLargestBlock);
  if (has_lines && axes_.back() >= kLongLine) {
    line_ = axes_.back();
    const int64_t parts = (line_ + block_ - 1) / block_;
    block_ = (line_ / parts + 63) / 64 * 64;
  } else if (has_lines && axes_.back() <= block_) {
    block_ = block_ / axes_.back() * axes_.back();  // whole lines are gathered
  }
  slot_elements_ = (block_ + 63) / 64 * 64;
}

// --- computing

// Where a line along the last axis begins.
char* Program::line_at(const Value& value, int64_t line) const {
  char* at = value.data;
  for (size_t d = axes_.size() - 1; d-- > 0; line /= axes_[d]) {
    if (d == 0) return at + line * value.strides[0];  // no division
    at += line % axes_[d] * value.strides[d];
  }
  return at;
}

// Elements [begin, begin + n) of what is not dense, one after the other.
char* Program::gather(const Value& value, int64_t begin, int64_t n, char* to) const {
  const int64_t size = element_size(value.dtype), length = axes_.back(), step = value.strides.back();
  int64_t line = begin / length, first = begin % length;
  if (first + n <= length) return line_at(value, line) + first * step;
  const Loop copy = cast_loop(value.dtype, value.dtype);
  for (int64_t done = 0; done < n; first = 0, ++line) {
    const int64_t count = std::min(length - first, n - done);
    char* data[] = {to + done * size, line_at(value, line) + first * step};
    const int64_t strides[] = {size, step};
    copy(data, strides, count);
    done += count;
  }
  return to;
}

Program::Place Program::place_of(const Value& v, int64_t begin, int64_t n, char* scratch) const {
  const int64_t size = element_size(v.dtype);
  if (v.kind == Value::Kind::Number) return {const_cast<char*>(v.number), 0};
  if (v.kind == Value::Kind::Memory && v.strides.empty()) return {v.data + begin * size, size};
  char* const slot = scratch + slot_offsets_[static_cast<size_t>(v.slot)] * slot_elements_;
  if (v.kind == Value::Kind::Register) return {slot, size};
  char* const data = gather(v, begin, n, slot);
  return {data, data == slot ? size : v.strides.back()};
}

void Program::run_block(int64_t n, const Place* places) {
  for (size_t s = 0; s < steps_.size(); ++s) {
    const Step& step = steps_[s];
    char* data[1 + kMaxInputs];
    int64_t strides[1 + kMaxInputs];
    for (int k = 0; k < step.num_values; ++k) {
      const Place& place = places[step.values[static_cast<size_t>(k)]];
      data[k] = place.data;
      strides[k] = place.stride;
    }
    step.loop(data, strides, n);
    if (!is_watched_) continue;
    // After each: there are loops that take down what others have put up.
    const FloatingPointErrors errors = take_floating_point_flags();
    if (TNP_UNLIKELY(errors) && step.watched) errors_[s].fetch_or(errors, std::memory_order_relaxed);
  }
}

void Program::run_piece(int64_t begin, int64_t end) {
  // They grow to the largest program's, and stay.
  thread_local std::vector<char> memory;
  thread_local std::vector<Place> places;
  memory.resize(static_cast<size_t>(scratch_bytes_ * slot_elements_ + 64));
  places.resize(values_.size());
  char* scratch = memory.data() + (64 - reinterpret_cast<uintptr_t>(memory.data()) % 64) % 64;
  int64_t in_line = line_ > 0 ? begin % line_ : 0;
  while (begin < end) {
    int64_t n = std::min(block_, end - begin);
    if (line_ > 0) n = std::min(n, line_ - in_line);
    for (size_t v = 0; v < values_.size(); ++v) places[v] = place_of(values_[v], begin, n, scratch);
    run_block(n, places.data());
    begin += n;
    in_line = in_line + n < line_ ? in_line + n : 0;
  }
}

void Program::run() {
  const DialectGuard dialects(dialect().with(is_watched_ ? ErrorWatch::Open : ErrorWatch::Never));
  // Those of the operator that is under way, if its bytes are computed in the midst of it, stay up.
  const FloatingPointErrors before = take_floating_point_flags();
  const auto piece = [this](int64_t begin, int64_t end) { run_piece(begin, end); };
  const auto grain =
      std::max<int64_t>(static_cast<int64_t>(static_cast<double>(kParallelWork) / std::max(cost_, 0.01)), 1);
  if (numel_ <= grain)
    piece(0, numel_);
  else
    parallel_for(0, numel_, std::max(grain / kTasksPerGrain, std::min(block_, grain)), piece);
  take_floating_point_flags();
  raise_floating_point_flags(before);
}

// --- results

Program::Output::Output(Node& n, size_t bytes)
    : node(&n), block(bytes > 0 ? allocator(Device{}).allocate(bytes, Device{}) : Allocation{}) {}
Program::Output::~Output() {
  if (block.data) allocator(Device{}).free(block, Device{});
}

bool Program::publish() {
  std::vector<intrusive_ptr<Node>> operands;  // go after the lock, with what they hold
  std::vector<intrusive_ptr<Storage>> storages;
  bool published = false;
  {
    std::lock_guard guard(lock());
    for (const Input& i : inputs_)
      if (i.storage->version() != i.version || i.storage->loans() != i.loans) return false;
    ++counters().programs;
    counters().steps += nodes_.size();
    for (Output& o : outputs_) {
      Node& node = *o.node;
      if (node.value) continue;  // another thread was faster
      intrusive_ptr<Storage> storage;
      if (node.result && node.result->try_retain()) storage = intrusive_ptr<Storage>::adopt(node.result);
      if (!storage) storage = new_pending_storage(static_cast<size_t>(numel_ * element_size(node.dtype)), nullptr);
      node.result = nullptr;
      storage->attach(nullptr);  // first: what is not pending may have other attachments
      storage->fulfil(std::exchange(o.block, {}));
      ++counters().outputs;
      published = true;
      for (Operand& operand : node.operands) {
        operands.push_back(std::move(operand.node));
        storages.push_back(std::move(operand.storage));
      }
      node.num_operands = 0;
      node.leave_list();
      // Nodes that read it find the bytes here.
      node.value = storage;
      storage->set_pending_readers(true);
    }
  }
  for (size_t s = 0; published && s < steps_.size(); ++s) {
    const auto errors = static_cast<FloatingPointErrors>(errors_[s].load(std::memory_order_relaxed));
    if (errors) record_floating_point_errors(steps_[s].watched, errors);
  }
  return true;
}

std::optional<std::string> program_text(Storage& storage) {
  const std::lock_guard guard(lock());
  if (!storage.is_pending()) return {};
  return Program(node_of(storage), true).text();
}

std::string Program::Value::name() const {
  switch (kind) {
    case Kind::Number:
      return scalar_at(dtype, number).to_string();
    case Kind::Register:
      return "r" + std::to_string(slot);
    case Kind::Memory:
      break;
  }
  return "";
}

std::string Program::text() const {
  std::string text;
  auto name = [&](int v) {
    const Value& value = values_[static_cast<size_t>(v)];
    std::string shown = value.name();
    if (shown.empty()) {  // memory, by its place among what is read and written
      int place = 0;
      for (int i = 0; i < v; ++i) place += values_[static_cast<size_t>(i)].kind == Value::Kind::Memory;
      shown = "m" + std::to_string(place);
    }
    return value.kind == Value::Kind::Number ? shown : shown + ":" + dtype_name(value.dtype);
  };
  for (const Step& step : steps_) {
    text += name(step.values[0]) + " = " + step.name + "(";
    for (int k = 1; k < step.num_values; ++k) text += (k > 1 ? ", " : "") + name(step.values[static_cast<size_t>(k)]);
    text += ")\n";
  }
  return text;
}

}  // namespace tnp::fusion
