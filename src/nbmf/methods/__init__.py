"""The estimators: each binds a model to an inference and follows the same few conventions.

The constructor stores, `fit` checks and returns the estimator, learned attributes end in `_`.
"""
