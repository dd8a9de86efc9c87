// Marks the views that one call returns. PyTorch refuses to change them in place while it records.
#pragma once

#include <vector>

#include "aten/autograd/variable.h"

namespace tnp::native {

inline std::vector<Tensor> several_views(std::vector<Tensor>&& views) {
  for (const Tensor& view : views) {
    const AutogradMeta* meta = autograd_meta(view);
    if (meta && meta->grad_fn && meta->grad_fn->views == ViewKind::One) meta->grad_fn->views = ViewKind::Several;
  }
  return std::move(views);
}

}  // namespace tnp::native
