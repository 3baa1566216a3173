"""What compiled kernels share and no family owns: compilation, random streams, blocks, urns."""
