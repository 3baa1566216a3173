"""The sampler that a report advises has the model of the fit."""

import numpy as np
import pytest

import nbmf
from nbmf import registry
from nbmf.catalogue import METHODS, usual_components
from nbmf.cli.arguments import render_message
from nbmf.errors import Message
from nbmf.reporting.sampler_advice import listed_arguments, sampler_arguments

HAVE_SAMPLER = [name for name in METHODS if registry.estimator_class(METHODS[name]["class"]).sampler]


def model_of(method, n_components=None, orientation="rows"):
    """A model of a method, as if it were fitted; n_components is what was found where the fit had to find it."""
    entry = METHODS[method]
    model = registry.estimator_class(entry["class"])(n_components=usual_components(method), **entry["settings"])
    model.orientation_ = orientation
    if n_components is not None:
        model.W_, model.H_ = np.ones((1, n_components)), np.ones((n_components, 1))
    return model


def typed(model):
    return render_message(Message(*listed_arguments(sampler_arguments(model))), "fit")


@pytest.mark.parametrize(
    ("method", "found", "advice"),
    [
        ("beta-dir-vb", {}, "--method beta-dir-gs"),
        ("beta-dir-vb-learned", {"orientation": "rows"}, "--method beta-dir-gs-learned and --set orientation=rows"),
        (
            "beta-dir-vb-learned",
            {"orientation": "columns"},
            "--method beta-dir-gs-learned and --set orientation=columns",
        ),
        (
            "beta-dir-vb-finite",
            {"n_components": 4},
            "--method beta-dir-gs, --components 4 and --set alpha=0.3 --set beta=0.3 --set gamma=0.5",
        ),
        ("dir-beta-vb", {}, "--method dir-beta-gs"),
        ("dir-dir-vb", {}, "--method dir-dir-gs"),
        ("bica", {}, "--method beta-dir-gs, --components 5 and --set gamma=1"),
        ("logistic-vb-columns", {}, "--method logistic-gs and --set effects=columns"),
        ("beta-dir-gs", {}, ""),
        ("mnb-rows", {}, ""),
    ],
)
def test_the_sampler_has_orientation_components_and_priors_of_the_fit(method, found, advice):
    assert typed(model_of(method, **found)).replace("=1.0", "=1") == advice


def test_priors_that_are_arrays_are_left_out():
    model = nbmf.BetaDirVB(2, alpha=np.ones(2))
    assert typed(model) == "--method beta-dir-gs and --components 2"


@pytest.mark.parametrize("method", HAVE_SAMPLER)
def test_what_is_advised_can_be_made(method):
    model = model_of(method, orientation="columns", n_components=3)
    arguments = {argument.name: argument.value for argument in sampler_arguments(model)}
    entry = METHODS[arguments["method"]]
    assert entry["class"] == model.sampler
    settings = entry["settings"] | arguments.get("settings", {})
    registry.estimator_class(entry["class"])(arguments.get("n_components", 2), **settings).check_parameters()
