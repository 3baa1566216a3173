"""The documentation site: `make docs`."""

import os
import re
import sys
from pathlib import Path

import nbmf

# Where the tutorials find the command nbmf.
os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])

project = "nbmf"
author = "the nbmf developers"
version = release = nbmf.__version__
extensions = [
    "myst_nb",  # MyST, and tutorials that are run
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
]
source_suffix = {".md": "myst-nb"}
exclude_patterns = ["_build", "paper"]
myst_enable_extensions = ["dollarmath", "colon_fence"]
myst_heading_anchors = 3
nb_execution_mode = "force"  # what is shown is what the package does today
nb_execution_in_temp = True
nb_execution_raise_on_error = True
nb_execution_timeout = 300
nb_merge_streams = True
suppress_warnings = [
    "myst.header",  # a table may come before the first heading of a level
    "misc.highlighting_failure",  # CSV has no colours
]
napoleon_numpy_docstring = True
napoleon_google_docstring = False
napoleon_use_rtype = False
autodoc_member_order = "bysource"
autodoc_typehints = "none"  # shapes and dtypes are in the docstrings
html_theme = "furo"
html_title = "nbmf"
html_static_path = ["static"]
html_css_files = ["site.css"]

LEARNED = re.compile(r"(?<![\w`])(\w+_)(?![\w`])")  # W_ and the like


def quote_learned_attributes(app, what, name, thing, options, lines):
    """Quote names that end in an underscore: reStructuredText takes them for links."""
    lines[:] = [s if s.lstrip().startswith("..") else LEARNED.sub(r"``\1``", s) for s in lines]


def setup(app):
    """Connect the hook; after napoleon, whose sections it must not see."""
    app.connect("autodoc-process-docstring", quote_learned_attributes, priority=600)
