"""What the structure test says: whether there is structure, and how well a method predicts next to all others."""

from typing import NamedTuple

from nbmf.evaluation.accuracy import Accuracy
from nbmf.evaluation.baselines import LABELS
from nbmf.evaluation.held_out import EntryMeasure
from nbmf.evaluation.margin_test import MarginTest
from nbmf.evaluation.stacked import Stacked
from nbmf.inference.declarations import View
from nbmf.numerics.clustered_errors import format_error, format_p, format_p_above

CHANCE = 0.05  # that noise passes for structure
SHOWN = {View.GROUPS: "groups", View.SCALE: "a scale"}


class Gain(NamedTuple):
    """By how much a method predicts better than a baseline.

    baseline : str, one of nbmf.evaluation.baselines.LABELS
    loss : float, of the baseline, in nats per held-out entry
    mean : float, the baseline's loss minus the method's
    error : float, its standard error; entries of a row or a column are not taken as independent
    p : float, the probability of so large a gain if there were none (one-sided)
    """

    baseline: str
    loss: float
    mean: float
    error: float
    p: float


class LossDifference(NamedTuple):
    """By how much another prediction is worse than that of the chosen method.

    Another method may predict a little better, see `choose`.

    what : str, a method or a baseline in words
    loss : float, nats per held-out entry
    mean : float, its loss minus that of the chosen method
    error : float, its standard error; entries of a row or a column are not taken as independent
    """

    what: str
    loss: float
    mean: float
    error: float


class OtherView(NamedTuple):
    """A method that predicts structure, where none does of the view that was asked for.

    asked, view : View, that was asked for, and that of this method
    what : str, the method in words
    gain : Gain, over the best baseline
    """

    asked: View
    view: View
    what: str
    gain: Gain


class Verdict(NamedTuple):
    """Whether there is structure, by two tests, and how well a method predicts.

    - method : str, what was tested, in words
    - found : bool, whether either test finds structure
    - predicts : bool, whether the method predicts better than every baseline, each with p < chance
    - chance : float, the level of each gain: CHANCE, or CHANCE / 2 next to an exact test, over the number of
      methods that there were to choose from
    - loss : float, of the method, in nats per held-out entry
    - gains : tuple of Gain, over each baseline, the best baseline first
    - entries, folds : int, how many entries were held out, in how many folds
    - observed : int, how many there are; of a symmetric matrix pairs instead of entries
    - others : tuple of LossDifference, the other methods that could have been chosen, the best first
    - unit : str, what losses are per: "held-out entry", or "one" of a sparse matrix
    - exact : MarginTest or None, the exact test at CHANCE / 2: of binary matrices that `is_quick` to test, with two
      columns that do not determine each other
    - fixed : float, the proportion of held-out entries that are left out because every matrix with as many ones in each
      row and column has them, see `choose`; if it is 1, none is left out, and nothing is found
    - stack : Stacked or None, what these methods and others predict together, if that was asked for
    - accuracy, without_components : Accuracy or None, of the method and of the baseline that predicts most entries
      right; None of counts and of sparse matrices
    - most_right : str, that baseline; "" of these
    - other_view : OtherView or None, the best method of the view that was not asked for, if it predicts better than
      every baseline and the method does not

    Of a sparse matrix ones and as many zeros are held out, weighted by one over the chance of that.
    """

    method: str
    found: bool
    predicts: bool
    chance: float
    loss: float
    gains: tuple[Gain, ...]
    entries: int
    folds: int
    observed: int
    others: tuple[LossDifference, ...] = ()
    unit: str = EntryMeasure.unit
    exact: MarginTest | None = None
    accuracy: Accuracy | None = None
    without_components: Accuracy | None = None
    most_right: str = ""
    stack: Stacked | None = None
    fixed: float = 0.0
    other_view: OtherView | None = None

    @property
    def compared(self) -> list[LossDifference]:
        """What else predicted the same entries: the other methods, then the baselines."""
        baselines = (LossDifference(LABELS[gain.baseline], gain.loss, gain.mean, gain.error) for gain in self.gains)
        return [*self.others, *baselines]

    @property
    def is_predicted(self) -> bool:
        """Whether there is structure, and the method predicts better than the best baseline on average."""
        return self.found and self.gains[0].mean > 0

    @property
    def best_baseline(self) -> str:
        """The baseline that predicts best, in words."""
        return LABELS[self.gains[0].baseline]

    @property
    def beyond(self) -> str:
        """The baseline beyond which there is nothing, where nothing is found.

        Entries are left out as fixed where the method would beat every baseline by these: effects of rows and columns
        explain that, and the best baseline of the other entries alone does not.
        """
        return "effects" if self.fixed else self.gains[0].baseline

    def __str__(self) -> str:
        if self.predicts:
            return (
                f"structure found: this method predicts better than {self.best_baseline}, the best baseline, by "
                f"{self._difference()}{self._exact_test_phrase()}"
            )
        if self.fixed == 1.0:
            return (
                "nothing found beyond row and column effects: no other matrix has as many ones in each row and column, "
                "as with a perfect (Guttman) scale, so that a lead over baselines is no evidence"
            )
        by = "" if self.other_view is None else f" by methods that show {SHOWN[self.other_view.asked]}"
        if not self.found:
            return f"nothing found beyond {LABELS[self.beyond]}{by}: {self._how_well()}{self._remaining_evidence()}"
        text = f"structure found beyond row and column effects (exact test, {format_p(self.exact.p)})"
        if self.gains[0].mean > 0:
            text += f", too little of it to be sure of in predictions{by}: {self._lead()}"
        else:
            which = "that was tried" if self.other_view is None else f"that shows {SHOWN[self.other_view.asked]}"
            worse = f"worse than {self.best_baseline} by {self._difference()}"
            text += f", but no method {which} predicts it: this one predicts {worse}"
        return text + self._other_view_phrase()

    def _how_well(self) -> str:
        """Return how well the method predicts next to the best baseline, where that shows no structure."""
        best = self.gains[0]
        named = "" if self.beyond == best.baseline else self.best_baseline
        if f"{best.loss:.4f}" == f"{self.loss:.4f}" and (best.mean <= 0 or best.p >= self.chance):
            as_well = f"as well as {named}" if named else "as well"
            return f"this method predicts {as_well} ({self.loss:.4f} nats per {self.unit} both)"
        if best.mean > 0:
            return self._lead()
        worse = f"worse than {named}" if named else "worse"
        return f"this method predicts {worse} by {self._difference()}"

    def _difference(self) -> str:
        """Return by how much the method differs from the best baseline."""
        best = self.gains[0]
        return (
            f"{format_error(abs(best.mean), best.error)} nats per {self.unit} "
            f"({best.loss:.4f} and {self.loss:.4f}, {format_p(best.p)})"
        )

    def _lead(self) -> str:
        """Return why a lead is not enough: over the best baseline or, where it is, over another one."""
        best, weakest = self.gains[0], max(self.gains, key=lambda gain: gain.p)
        if best.p >= self.chance:
            return f"a lead of {self._lead_over(best)} {self._can_be_chance(best)}"
        return (
            f"a lead of {self._lead_over(best)} is not enough, since that of {self._lead_over(weakest)} "
            f"{self._can_be_chance(weakest)}"
        )

    def _lead_over(self, gain: Gain) -> str:
        return f"{format_error(gain.mean, gain.error)} nats per {self.unit} over {LABELS[gain.baseline]}"

    def _can_be_chance(self, gain: Gain) -> str:
        return f"can be chance ({format_p_above(gain.p, self.chance)})"

    def _remaining_evidence(self) -> str:
        """Return what the exact test says, and what predicts structure together or in the other view, if anything."""
        together = "" if self.stack is None or self.stack.p > self.chance else f"; {self.stack.lead}"
        return f"{self._exact_test_phrase()}{together}{self._other_view_phrase()}"

    def _other_view_phrase(self) -> str:
        """Return which method of the other view predicts what none of this does, "" without one."""
        if self.other_view is None:
            return ""
        _, view, what, gain = self.other_view
        lead = f"{format_error(gain.mean, gain.error)} nats per {self.unit} ({format_p(gain.p)})"
        return f"; {what}, which shows {SHOWN[view]}, predicts better than {LABELS[gain.baseline]} by {lead}"

    def _exact_test_phrase(self) -> str:
        """Return what the exact test says next to predictions that decide."""
        if self.exact is None:
            return ""
        agrees = (self.exact.p <= CHANCE / 2) == self.predicts
        # A p-value above its half of the level would seem to be significant next to the usual 5 %.
        misses = CHANCE / 2 < self.exact.p < CHANCE
        p = format_p_above(self.exact.p, CHANCE / 2) if misses else format_p(self.exact.p)
        return f"; the exact test {'agrees' if agrees else 'alone would not show it'} ({p})"
