// Texts of the headers that kernel sources include. They are embedded because an installed library
// has no source files.
#pragma once

#include <span>

namespace tnp::gpu {

struct HeaderText {
  const char* name;  // "aten/functors/arithmetic.h"
  const char* text;
};
// Generated (tools/header_texts.py).
std::span<const HeaderText> header_texts();

}  // namespace tnp::gpu
