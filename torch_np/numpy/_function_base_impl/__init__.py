"""What NumPy has in numpy/lib/_function_base_impl.py, by subject."""
