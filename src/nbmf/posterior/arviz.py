"""Chains in the shape that ArviZ reads."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

import nbmf
from nbmf.errors import ConfigError
from nbmf.posterior.chain_records import ChainRecords
from nbmf.posterior.draws import Draws
from nbmf.posterior.recording import RecordingPlan

if TYPE_CHECKING:
    import xarray


SAMPLED = ("chain", "draw")


def make_tree(chains: ChainRecords, plan: RecordingPlan, draws: Draws | None) -> xarray.DataTree:
    """Return the chains and their draws as an xarray DataTree; see Chains.to_arviz."""
    try:
        import xarray
    except ImportError as error:
        raise ConfigError("to_arviz needs the package xarray: pip install xarray") from error

    is_observed = chains.estimators[0].likelihood.is_observed(chains.values)
    V = np.where(is_observed, chains.values, np.nan).astype(np.float32)
    groups = {
        "posterior": _posterior(chains, plan, draws),
        "sample_stats": _sample_stats(chains, plan),
        "observed_data": {"V": (("row", "column"), V)},
    }
    rows, columns = chains.axis_names()
    names = {"row": rows, "column": columns, "entry": chains.entry_names()}
    about = {
        "inference_library": "nbmf",
        "inference_library_version": nbmf.__version__,
        "creation_library": "nbmf",
        "method": repr(chains.estimators[0]),
    }
    datasets = {}
    for group, variables in groups.items():
        sizes = {}
        for dims, values in variables.values():
            sizes |= dict(zip(dims, values.shape, strict=True))
        coordinates = {dim: names.get(dim, np.arange(size)) for dim, size in sizes.items()}
        datasets[group] = xarray.Dataset(variables, coordinates, about)
    return xarray.DataTree.from_dict(datasets)


def _posterior(chains: ChainRecords, plan: RecordingPlan, draws: Draws | None) -> dict[str, tuple]:
    """Return dimensions and values of the variables of ArviZ's group posterior."""
    variables = {"active_components": (SAMPLED, _trace_at_draws(chains, plan, "active components"))}
    shares = _trace_at_draws(chains, plan, "shares")
    if shares.shape[-1]:
        variables["share"] = (*SAMPLED, "rank"), shares
    variables["expected_v"] = (*SAMPLED, "entry"), _trace_at_draws(chains, plan, "entries")
    if draws is not None and not np.ptp(draws.sizes):
        each = len(chains.estimators), plan.n_kept
        W, H = (factor.reshape(*each, *factor.shape[1:]) for factor in (draws.W, draws.H))
        variables["W"] = (*SAMPLED, "row", "component"), W
        variables["H"] = (*SAMPLED, "component", "column"), H
    return variables


def _sample_stats(chains: ChainRecords, plan: RecordingPlan) -> dict[str, tuple]:
    """Return dimensions and values of the variables of ArviZ's group sample_stats."""
    names = {"lp": "objective", "log_likelihood": "log likelihood"}
    return {
        name: (SAMPLED, _trace_at_draws(chains, plan, recorded))
        for name, recorded in names.items()
        if not np.isnan(chains.trace[recorded]).any()
    }


def _trace_at_draws(chains: ChainRecords, plan: RecordingPlan, name: str) -> np.ndarray:
    """Return a trace at the sweeps of the draws, or at all that were recorded without draws."""
    trace = chains.trace[name]
    if not plan.is_draws:
        return trace
    if not chains.sampled:  # its end, for each draw from it
        return np.repeat(trace, plan.n_kept, axis=1)
    return trace[:, plan.per_kept - 1 :: plan.per_kept]
