std::span<const PointwiseLoop> twice() { return make_loops<Twice, ComputeTypes>(); }

std::span<const PointwiseLoop> halves() { return make_loops<Split, FloatTypes>(); }

std::span<const ReductionLoop> total() { return make_reduction_loops<Total, ComputeTypes>(); }
