"""Files that earlier versions have written are read, and predict what they predicted."""

import kept_models
import numpy as np
import pytest

import nbmf

RELEASES = sorted(folder.name for folder in kept_models.FOLDER.iterdir() if folder.is_dir())
KEPT = [(release, path) for release in RELEASES for path in sorted((kept_models.FOLDER / release).glob("*.npz"))]


def test_every_class_is_kept_since_some_release():
    kept = {kept_models.class_of(path.stem) for _, path in KEPT if path.name != kept_models.PREDICTED}
    known = set(map(kept_models.class_of, kept_models.names()))
    assert kept >= known, f"python tests/support/kept_models.py NAME keeps those of {known - kept}"
    assert kept <= known, f"no longer in the package: {kept - known}"


def test_a_method_whose_class_is_named_with_its_module_is_kept_by_its_id(monkeypatch):
    own = {**kept_models.METHODS["bica"], "class": "nbmf.families.beta_dirichlet.binary_ica:BinaryICA"}
    others = {name: method for name, method in kept_models.METHODS.items() if name != "bica"}
    monkeypatch.setattr(kept_models, "METHODS", {**others, "own": own})  # a copy: put back into it, bica would be last
    assert "own" in kept_models.names()
    assert "BinaryICA" not in kept_models.names()
    assert kept_models.class_of("own") == "BinaryICA"


@pytest.mark.parametrize("release", RELEASES)
def test_models_of_a_release_predict_what_they_predicted(release):
    """To seven digits: a fold-in ends by a tolerance, and other processors round otherwise.

    New rows of logistic factors, the Indian buffet and stacking have been kept anew: with learned effects these did not
    go with positions, and predictions were at the mean of a row, not the mean over what is not known of it.
    """
    folder = kept_models.FOLDER / release
    known = np.load(folder / kept_models.PREDICTED)
    names = [path.stem for path in folder.glob("*.npz") if path.name != kept_models.PREDICTED]
    found = {}
    for name in names:
        model = nbmf.load(folder / f"{name}.npz")
        found |= {f"{name} {what}": values for what, values in kept_models.predicted(name, model).items()}
    assert set(found) == set(known)
    for what, values in found.items():
        np.testing.assert_allclose(values, known[what], rtol=1e-7, atol=1e-10, err_msg=what)
