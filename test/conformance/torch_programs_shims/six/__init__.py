"""As much of six as torch_programs.py's programs use."""
