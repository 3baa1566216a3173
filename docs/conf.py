"""The documentation site: `make docs`."""

import re

import nbmf

project = "nbmf"
author = "the nbmf developers"
version = release = nbmf.__version__
extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
]
source_suffix = {".md": "markdown"}
exclude_patterns = ["_build"]
myst_enable_extensions = ["dollarmath", "colon_fence"]
myst_heading_anchors = 3
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
html_static_path = []

LEARNED = re.compile(r"(?<![\w`])(\w+_)(?![\w`])")  # W_ and the like


def quote_learned_attributes(app, what, name, thing, options, lines):
    """Quote names that end in an underscore: reStructuredText takes them for links."""
    lines[:] = [s if s.lstrip().startswith("..") else LEARNED.sub(r"``\1``", s) for s in lines]


def setup(app):
    """Connect the hook; after napoleon, whose sections it must not see."""
    app.connect("autodoc-process-docstring", quote_learned_attributes, priority=600)
