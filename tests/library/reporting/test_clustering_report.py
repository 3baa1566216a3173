"""What nbmf cluster and nbmf topics say first."""

import numpy as np
import pandas as pd
import pytest
from feature_tables import TABLE

from nbmf.data.feature_columns import DISCRETE
from nbmf.evaluation.component_choice import ComponentChoice, Scored
from nbmf.families.mixed_membership.feature_model import FeatureModel
from nbmf.reporting import text
from nbmf.reporting.clustering_report import ClusteringResult, _value, clustering_facts, clustering_report, mean_and_sd


def chosen(K, tried, found):
    """A choice of K components, of some that were tried."""
    scores = tuple(Scored("mnb", k, 2.0 + (k != K), 3.0, 1.0, 0.1, 0.0, 0.0) for k in tried)
    own = next(score for score in scores if score.K == K)
    return ComponentChoice(found, own, 0.01, 3.5, scores, 90, 5, "cell")


@pytest.mark.parametrize(
    ("K", "tried", "found", "hint"),
    [
        (3, (2, 3), True, "3 is the largest K that was tried: --components 3 6 tries more"),
        (2, (2, 3), True, None),
        (2, (2,), True, None),  # as it was asked for
        (3, (2, 3), False, None),
    ],
)
def test_the_largest_of_the_grid_is_reported(K, tried, found, hint):
    choice = chosen(K, tried, found)
    result = ClusteringResult("people", TABLE, "component", "row", "mnb", choice, None, None, 0.0)
    told = text.render(clustering_report(result))
    assert "tries more" not in told if hint is None else hint in told
    said = " ".join(told.split())
    assert "None is a single component or, if that predicts better, all of them in their" in said


def test_means_have_as_many_digits_as_they_are_certain():
    assert mean_and_sd(4201.7543, 801.95) == "4202 ± 802"
    assert mean_and_sd(37.2513, 2.0234) == "37.3 ± 2.0"
    assert mean_and_sd(0.12345, 0.0123) == "0.123 ± 0.012"
    assert mean_and_sd(1.0, 3e-7) == "1 ± 3e-07"
    assert mean_and_sd(-0.01, 1.0) == "0.0 ± 1.0"


def test_a_fit_that_is_worse_than_one_component_says_both_objectives():
    model = FeatureModel(2, max_iter=2, random_state=0).fit(TABLE)
    result = ClusteringResult("people", TABLE, "component", "row", "mmnb", None, model, None, 0.0)
    model.objective_, model.objective_of_one_ = -20.5, -12.25
    said = "WORSE THAN ONE COMPONENT: -20.5 nats, a single one -12.25; take more --starts or fewer --components"
    assert any(line.startswith(said) for line in clustering_facts(result))
    model.objective_ = -12.0
    assert not any("WORSE" in line for line in clustering_facts(result))


def test_the_number_of_components_of_a_row_is_that_of_the_mean_entropy():
    """Half of the rows have one component, half two alike: exp((0 + ln 2) / 2) = 1.41, and no mean of 1 and 2."""
    model = FeatureModel(2)
    model.memberships_, model.prior_ = np.tile([[1.0, 0.0], [0.5, 0.5]], (45, 1)), np.ones(2)
    model.distinct_components_, model.n_iter_, model.converged_ = 2, 1, None
    model.objective_, model.objective_of_one_ = -10.0, -20.0
    result = ClusteringResult("people", TABLE, "component", "row", "mmnb", None, model, None, 0.0)
    assert "a row has 1.41 components on average (exp of the mean entropy)" in clustering_facts(result)


def test_a_category_that_nearly_all_have_is_named_where_more_have_it():
    rows = pd.DataFrame(
        {"kind": DISCRETE, "category": ["late", "paid"], "value": [0.02, 0.98], "overall": [0.09, 0.91]}
        | {"lift": [0.2, 1.08], "nats": [0.01, 0.04]}
    )
    assert _value(rows) == "paid 98% (all: 91%)"
