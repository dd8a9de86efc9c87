#include "aten/fusion/block_program_key.h"

#include <bit>
#include <cstring>

#include "aten/core/containers/recently_used.h"
#include "aten/fusion/mode.h"

namespace tnp::fusion {

namespace {

template <class T>
uint64_t word_of(T pointer) {
  return static_cast<uint64_t>(reinterpret_cast<uintptr_t>(pointer));
}
template <class T>
T pointer_of(uint64_t word) {
  return reinterpret_cast<T>(static_cast<uintptr_t>(word));
}

// Indices of the first words: the settings that finish() depends on, the counted memory, the number
// of sizes, and the sizes.
constexpr size_t kSettings = 0, kCounted = 1, kNumSizes = 2, kSizes = 3;
constexpr size_t kUsualWords = 128;
constexpr size_t kKept = 64;

}  // namespace

BlockProgramKey::BlockProgramKey(IntList sizes) {
  words_.reserve(kUsualWords);
  words_.resize(kSizes);
  words_[kNumSizes] = sizes.size();
  for (const int64_t n : sizes) words_.push_back(static_cast<uint64_t>(n));
}

void BlockProgramKey::add_head(Tag tag, ScalarType dtype, size_t count, int out) {
  words_.push_back(static_cast<uint64_t>(tag) | static_cast<uint64_t>(dtype) << 8 | uint64_t{count} << 16 |
                   static_cast<uint64_t>(out) << 32);
}

int BlockProgramKey::add_memory(ScalarType dtype, const DimVector& byte_strides) {
  add_head(Tag::Memory, dtype, byte_strides.size());
  for (const int64_t stride : byte_strides) words_.push_back(static_cast<uint64_t>(stride));
  return num_values_++;
}

int BlockProgramKey::add_number(ScalarType dtype, const void* value) {
  add_head(Tag::Number, dtype, 0);
  uint64_t bits[2] = {};
  std::memcpy(bits, value, static_cast<size_t>(element_size(dtype)));
  words_.insert(words_.end(), std::begin(bits), std::end(bits));
  return num_values_++;
}

int BlockProgramKey::add_register(ScalarType dtype) {
  add_head(Tag::Register, dtype, 0);
  return num_values_++;
}

void BlockProgramKey::add_call(Loop loop, const char* name, const char* watched, double cost, int out,
                               std::span<const int> in) {
  add_head(Tag::LoopCall, ScalarType::Bool, in.size(), out);
  words_.insert(words_.end(), {word_of(loop), word_of(name), word_of(watched), std::bit_cast<uint64_t>(cost)});
  for (const int v : in) words_.push_back(static_cast<uint64_t>(v));
}

std::shared_ptr<const BlockProgram> BlockProgramKey::make() const {
  const uint64_t* word = words_.data() + kSizes;
  const auto next = [&] { return *word++; };
  const auto read_list = [&](size_t count) {
    DimVector list;
    for (size_t i = 0; i < count; ++i) list.push_back(static_cast<int64_t>(next()));
    return list;
  };
  const auto program = std::make_shared<BlockProgram>(read_list(words_[kNumSizes]));
  while (word != words_.data() + words_.size()) {
    const uint64_t head = next();
    const auto dtype = static_cast<ScalarType>(head >> 8 & 0xff);
    const auto count = static_cast<size_t>(head >> 16 & 0xffff);
    switch (static_cast<Tag>(head & 0xff)) {
      case Tag::Memory:
        program->add_memory(dtype, read_list(count));
        break;
      case Tag::Number:
        program->add_number(dtype, word);
        word += 2;
        break;
      case Tag::Register:
        program->add_register(dtype);
        break;
      case Tag::LoopCall: {
        const Loop loop = pointer_of<Loop>(next());
        const auto* const name = pointer_of<const char*>(next());
        const auto* const watched = pointer_of<const char*>(next());
        const auto cost = std::bit_cast<double>(next());
        int in[BlockProgram::kMostOperands];
        for (size_t i = 0; i < count; ++i) in[i] = static_cast<int>(next());
        program->add_call(loop, name, watched, cost, static_cast<int>(head >> 32), {in, count});
        break;
      }
    }
  }
  program->finish();
  if (const auto counted = static_cast<int>(words_[kCounted]) - 1; counted >= 0) program->prepare_count(counted);
  return program;
}

std::shared_ptr<const BlockProgram> BlockProgramKey::program(int counted) {
  static auto* const kept = new RecentValues<std::vector<uint64_t>, std::shared_ptr<const BlockProgram>, kKept>;
  words_[kSettings] = static_cast<uint64_t>(has_machine_code()) | static_cast<uint64_t>(mode()) << 1;
  words_[kCounted] = static_cast<uint64_t>(counted + 1);
  return kept->get(words_, [&](const auto&) { return make(); });
}

}  // namespace tnp::fusion
