"""The generative models in plain NumPy: what the compiled kernels have to compute."""
