"""The part of six that the programs of torch_programs.py use."""
