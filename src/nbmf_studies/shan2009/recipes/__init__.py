"""The datasets of the study, each a module with a function `build`."""
