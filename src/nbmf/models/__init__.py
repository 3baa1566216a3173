"""The generative models, in plain NumPy: prior, simulation, log joint, conditional of one cell.

These modules define what the compiled kernels have to compute; they are written for reading.
"""
