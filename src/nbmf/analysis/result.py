"""What `nbmf.analyze` returns: tables, sentences, pictures, a report, and a folder of all of them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nbmf.analysis.files import FILES, SUFFIX, write_files
from nbmf.analysis.tables import Tables, make_tables
from nbmf.data.named import NamedMatrix
from nbmf.errors import not_allowed
from nbmf.evaluation.structure_result import Verdict
from nbmf.inference.estimator import Factorization
from nbmf.output.folder import NOTHING_BEYOND, OutputFolder, folder_at
from nbmf.output.folder_lock import release
from nbmf.output.reports import write_report
from nbmf.reporting import text
from nbmf.reporting.fit_report import fit_report
from nbmf.reporting.fit_result import ReportedFit
from nbmf.reporting.model import Figure, Report
from nbmf.reporting.pictures import Picture, picture_of_other_view, pictures_of_fit
from nbmf.reporting.wording import Wording

if TYPE_CHECKING:
    import matplotlib.figure

    from nbmf.stacking.estimator import Stacking


@dataclass(frozen=True, eq=False)
class Analysis:
    """The result of `analyze`: what `nbmf fit` reports, draws and writes. `print` shows the summary.

    Attributes
    ----------
    result : ReportedFit
        The fit, and all that is reported about it.
    method : str
        The id of the method that was fitted.
    asked : dict
        The keyword arguments of the call.
    wording : Wording
        How the report names these.
    """

    result: ReportedFit
    method: str
    asked: Mapping[str, Any]
    wording: Wording

    def __getstate__(self) -> dict[str, Any]:
        """Return what cannot be made again: a pickle has no functions that make tables and pictures."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @property
    def matrix(self) -> NamedMatrix:
        """The matrix that was analyzed."""
        return self.result.matrix

    @property
    def model(self) -> Factorization:
        """The fitted method; the best of several chains or starts."""
        return self.result.model

    @property
    def verdict(self) -> Verdict | None:
        """The structure test, as `nbmf.verdict` returns it; None if that was not done."""
        return self.result.verdict

    @property
    def found(self) -> bool | None:
        """Whether there is structure; None if that was not tested."""
        return None if self.verdict is None else self.verdict.found

    @property
    def stack(self) -> Stacking | None:
        """The mixture of methods that predicts better than `model`, if one does."""
        return self.result.stack

    @property
    def other_view(self) -> Factorization | None:
        """The fit that shows the same matrix in another way and predicts as well, if there is one."""
        return None if self.result.other_view is None else self.result.other_view.model

    @cached_property
    def tables(self) -> Tables:
        """DataFrames under the names of their files: W, H, expectation, components, positions, missing, ...

        Which there are depends on the method and on what was found: `list(analysis.tables)`. Those of factors and of
        E[V] have names of rows or components as their index.
        """
        return make_tables(self.result)

    @cached_property
    def report(self) -> Report:
        """Sections of sentences, tables and entries, without pictures (nbmf.reporting.model)."""
        return self._report([])

    def __str__(self) -> str:
        """Return the report as text, as `nbmf fit` prints it."""
        return text.render(self.report)

    def __repr__(self) -> str:
        """Return the first sentences: what was found, and by which method."""
        verdict = "no test of structure" if self.verdict is None else str(self.verdict)
        return f"Analysis of {self.result.name} by {self.model.title}: {verdict}"

    @property
    def pictures(self) -> list[str]:
        """The names of the pictures that `draw` makes; none where no structure was found."""
        return [Path(picture.file).stem for picture in self._pictures]

    def draw(self, name: str) -> matplotlib.figure.Figure:
        """Return one of `pictures`, drawn.

        Raises
        ------
        ConfigError
            If there is no such picture.
        """
        for picture in self._pictures:
            if Path(picture.file).stem == name:
                return picture.draw()
        raise not_allowed("name", name, self.pictures)

    def save(self, out: str | os.PathLike | None = None, *, force: bool = False) -> Path:
        """Write all that `nbmf fit` writes: tables, pictures, the models, a text and a page.

        Parameters
        ----------
        out : path, optional
            The folder. With NAME.xlsx all tables become sheets of that workbook, and the rest is in NAME.nbmf.
            Default: the name of the analysis with .nbmf, in the current folder.
        force : bool
            Overwrite files that nbmf has not written.

        Returns
        -------
        Path
            Of the folder.

        Raises
        ------
        DataError
            If the folder holds a file that nbmf has not written, or another process writes to it.
        """
        folder = folder_at(f"{self.result.name}{SUFFIX}" if out is None else out, SUFFIX, FILES, force=force)
        try:
            self.write(folder, {"command": "fit", **self.asked, "method": self.method})
        finally:
            release(folder.path)
        return folder.path

    def write(self, folder: OutputFolder, how: dict[str, Any]) -> str:
        """Write everything to a folder that has been opened for FILES, and return the report as text.

        how : dict, how the results were made, for the folder's record
        """
        figures = folder.figures(self._pictures)
        report = self._report(figures)
        write_files(folder, self.result, self.tables)
        folder.write_pictures(self._pictures)
        if not self.result.shows_components:
            how = {**how, NOTHING_BEYOND: self.verdict.beyond}
        return write_report(report, folder, how)

    @cached_property
    def _pictures(self) -> list[Picture]:
        """The pictures of the fit, and last that of its other view."""
        result = self.result
        if not result.shows_components:
            return []
        groups, other = {"column_groups": result.column_groups}, result.other_view
        pictures = pictures_of_fit(result.model, result.matrix, **groups, chains=result.chains, scale=result.scale)
        if other is None:
            return pictures
        return [*pictures, picture_of_other_view(other.model, other.matrix, other.scale, **groups)]

    def _report(self, figures: Sequence[Figure]) -> Report:
        other_figure = None
        if figures and self.result.other_view is not None:
            *figures, other_figure = figures
        return fit_report(
            self.result, wording=self.wording, method=self.method, figures=figures, figure_of_other_view=other_figure
        )
