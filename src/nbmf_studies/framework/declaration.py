"""The vocabulary in which a study says what it shows: figures and tables, and what each needs."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import KW_ONLY, dataclass, replace
from pathlib import Path
from typing import Any

from nbmf.errors import ConfigError
from nbmf.fit_key import FitKey
from nbmf_studies.framework.experiment import Case
from nbmf_studies.framework.needs import Need
from nbmf_studies.framework.plan import Plan

FOLDER = Path(__file__).parents[1]  # nbmf_studies


def _nothing(plan: Plan) -> dict:
    return {}


def _always(plan: Plan) -> bool:
    return True


@dataclass(frozen=True)
class Product:
    """What figures and tables have in common.

    Attributes
    ----------
    name : str
        Of its file, and of its target `<study>_<name>`.
    title : str, or function of the plan
        In the report.
    make : str
        The function that makes it, "module:function"; ".module:function" is in the study's package. It is called with
        what is needed, by role, and with the arguments. The job depends on this module and all it imports.
    needs : function of the plan
        Returns a dict from role to Need.
    caption : str, optional
        What the report says about it: a file of reStructuredText below src/nbmf_studies. Without: captions/<name>.rst
        of the study or, if it has none, of all studies.
    arguments : function of the plan
        Returns a dict of values that JSON can hold. Only what is in there, or in the needs, makes
        the job run again when the configuration changes.
    options : dict, optional
        The JSON schema of `studies.<key>.options.<name>`, which must then be there.
    check : function of the plan, optional
        Yields what a schema cannot see, as "place within the option = value: what is allowed".
    applies : function of the plan
        Returns whether it is made at all, with what this run has.
    on_request : str, optional
        The name of what it belongs to if it is not made with the study, but when that or its own target is asked for:
        `<study>_<name>` makes all of that name. Of datasets that are evaluated once, when all is decided; of readings
        of a paper other than the first.
    in_report : bool
        Whether the report has it, by default figures alone.
    """

    name: str
    title: str | Callable[[Plan], str]
    make: str
    needs: Callable[[Plan], dict[str, Need]] = _nothing
    _: KW_ONLY
    caption: str | None = None
    arguments: Callable[[Plan], dict[str, Any]] = _nothing
    options: dict[str, Any] | None = None
    check: Callable[[Plan], Iterator[str]] | None = None
    applies: Callable[[Plan], bool] = _always
    on_request: str | None = None
    in_report: bool = True

    def title_of(self, plan: Plan) -> str:
        """Return the title for a plan."""
        return self.title if isinstance(self.title, str) else self.title(plan)


@dataclass(frozen=True, kw_only=True)
class Figure(Product):
    """A figure; its function returns a matplotlib Figure.

    dpi : int, dots per inch of the PNG
    with_gaps : bool, whether its function can do with its role `scores` alone, fits without a
        result being gaps: after a run with failures it is drawn from what there is
    """

    dpi: int = 200
    with_gaps: bool = False


@dataclass(frozen=True, kw_only=True)
class Table(Product):
    """A table; its function returns a DataFrame.

    in_reference : bool, whether a published run keeps it in reference/<study>/ as it is: values of every replication,
        from which a reader can make any other comparison
    float_format : str, of numbers in the file; None for all digits
    """

    in_report: bool = False
    in_reference: bool = False
    float_format: str | None = None


@dataclass(frozen=True)
class Study:
    """One paper, or one question.

    key : str, the name of its folder and of its target
    title : str, of its part of the report
    citation : str, what to cite
    figures, tables : what it shows. Figures or tables that come as many as there are methods or
        datasets are a function of the plan that returns them
    front : names of the figure and the table with which the report opens. Without: the first figure
        and the first table that the report has
    experiments : functions of the plan that yield cases: fits besides those of the plan
    further_experiments : those whose cases only products on request look at
    """

    key: str
    title: str
    citation: str
    figures: tuple[Figure | Callable[[Plan], Iterable[Figure]], ...]
    tables: tuple[Table | Callable[[Plan], Iterable[Table]], ...]
    front: tuple[str, ...] = ()
    experiments: tuple[Callable[[Plan], Iterable[Case]], ...] = ()
    further_experiments: tuple[Callable[[Plan], Iterable[Case]], ...] = ()

    def products(self) -> list[Product]:
        """Return the figures and tables that are declared whatever the plan is."""
        return [self._complete(product) for product in (*self.figures, *self.tables) if not callable(product)]

    def figures_of(self, plan: Plan) -> list[Figure]:
        """Return the figures that apply to a plan, in their order."""
        return self._applicable(self.figures, plan)

    def tables_of(self, plan: Plan) -> list[Table]:
        """Return the tables that apply to a plan, in their order."""
        return self._applicable(self.tables, plan)

    def cases_of(self, plan: Plan) -> list[Case]:
        """Return the cases of all experiments whose data are at hand, further ones too."""
        return self._cases((*self.experiments, *self.further_experiments), plan)

    def fits_of(self, plan: Plan) -> list[FitKey]:
        """Return every fit that the study asks for: those of the plan, and those of experiments."""
        return plan.fits + [case.key for case in self._cases(self.experiments, plan)]

    def _cases(self, experiments: Iterable[Callable[[Plan], Iterable[Case]]], plan: Plan) -> list[Case]:
        cases = [case for experiment in experiments for case in experiment(plan)]
        return [case for case in cases if case.key.dataset not in plan.missing_sources]

    def _applicable(self, entries: tuple, plan: Plan) -> list:
        every = [one for entry in entries for one in (entry(plan) if callable(entry) else [entry])]
        return [self._complete(one) for one in every if one.applies(plan)]

    def _complete(self, product: Product) -> Product:
        """Return a figure or table with what follows from its study: the caption, and where its function is."""
        default_caption = f"{self.key}/captions/{product.name}.rst"
        of_all = f"captions/{product.name}.rst"
        caption = product.caption or (default_caption if (FOLDER / default_caption).is_file() else of_all)
        if product.in_report and not (FOLDER / caption).is_file():  # else `make report` would miss it, last
            file = f"{FOLDER.name}/{product.caption or default_caption}"
            raise ConfigError(f"study {self.key}: {product.name!r} has no caption; write it in {file}")
        make = f"{FOLDER.name}.{self.key}{product.make}" if product.make.startswith(".") else product.make
        return replace(product, caption=caption, make=make)
