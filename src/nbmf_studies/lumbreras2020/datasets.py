"""Which datasets a run has: the paper's, or others."""

from nbmf_studies.framework.plan import Plan


def has_paper_dataset(plan: Plan) -> bool:
    """Whether a dataset is rebuilt by a recipe.

    Of files of the user's own, toy matrices and the paper's claims and numbers say nothing.
    """
    return any("recipe" in plan.dataset_entry(name) for name in plan.datasets)
