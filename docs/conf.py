"""Sphinx's configuration. The sources that it reads are staged by tools/documentation/site.py: `make docs`."""
import sys

import matplotlib
import torch_np

matplotlib.use("agg")

project = "torch_np"
copyright = "the authors of torch_np"
version = release = torch_np.__version__

extensions = ["myst_parser", "sphinx_design", "sphinx_gallery.gen_gallery"]
html_theme = "pydata_sphinx_theme"
html_title = "torch_np"
html_context = {"default_mode": "auto"}
html_favicon = "favicon.svg"
html_show_sourcelink = False
html_theme_options = {"navigation_depth": 2, "show_toc_level": 2, "secondary_sidebar_items": ["page-toc"], "navbar_align": "left"}
html_sidebars = {"reference/**": [], "index": []}

exclude_patterns = ["gallery/**"]  # sphinx-gallery writes pages of its own from it
# Every reference must lead somewhere; with -W what does not ends the build.
nitpicky = True
myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence"]
toc_object_entries = False
python_maximum_signature_line_length = 110
pygments_style = "default"
# Blocks in the pages that are not a language's: drawings, tables of measurements, lists of
# operators with `...` in them.
suppress_warnings = ["misc.highlighting_failure"]

sphinx_gallery_conf = {
    "examples_dirs": "gallery",
    "gallery_dirs": "auto_gallery",
    "filename_pattern": r".*\.py",
    "download_all_examples": False,
    "show_signature": False,
    "abort_on_example_error": True,
    "plot_gallery": "True",
    "min_reported_time": 10_000,
    "write_computation_times": False,
    "show_memory": False,
}
sys.dont_write_bytecode = True
