"""What NumPy has in numpy.lib._function_base_impl, by subject."""
