"""The commands of `nbmf`, a module each: its `run` takes the options that were typed."""
