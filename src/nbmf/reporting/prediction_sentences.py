"""What a mixture of methods predicts, how much of it the model explains, and which of the two speaks where."""

from collections.abc import Iterator

from nbmf.reporting.fit_result import ReportedFit


def prediction_sentences(result: ReportedFit) -> Iterator[str]:
    """Yield the sentences, of a fit whose verdict has a mixture; a share only of structure that was found."""
    stack, found = result.verdict.stack, result.verdict.found
    if found or stack.share is None:
        yield str(stack)
    if result.stack is None:
        if found and stack.share is not None:
            why = "it has all the weight in the mixture" if stack.is_shown_alone else "no mixture is written"
            missing = "missing entries (missing.csv) and " if result.n_missing else ""
            yield f"{why}: model.npz predicts {missing}new rows too"
        return
    yield f"weights in the mixture, stack.npz: {stack.described_members}"
    speaks = 'the mixture predicts new rows: nbmf.load("stack.npz").predict_rows(V)'
    if result.n_missing:
        speaks += f", and missing.csv has its probabilities of the {result.n_missing} missing entries"
    yield f"{speaks}; model.npz predicts by the method that is shown alone"
