"""Transformations of functions: batches, forward-mode derivatives, operators that Python computes.

Note [Wrapped tensors] in aten/core/wrapped.h and Note [Interceptors] in aten/compiler/interceptor.h
describe the mechanism.
"""
