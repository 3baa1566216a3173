"""Compiled inference: arrays in, arrays changed. Missing entries never reach these loops.

`beta_dir_gibbs`, `beta_dir_cvb0`, `beta_dir_mean_field`, `dir_dir_gibbs`, `lda` and `fold_in` are
the inference algorithms, most with a small class around its arrays. The others are what they share:
`compilation` the decorator, `random` the generator, `cells` the order in which observed entries
are visited, `threads` how many; `row_lists` and `urns` the sparse draws; `lanes`, `interleaving`
and `prefetch` what makes processors fast.
"""
