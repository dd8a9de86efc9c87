"""Counterpart of numpy.lib._function_base_impl, with one module for each subject."""
