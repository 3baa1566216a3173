"""c-bICA: Beta-Dir VB with a fixed number of components (paper, section 6.2)."""

from nbmf.families.beta_dirichlet.beta_dir_vb import BetaDirVB


class CollapsedBinaryICA(BetaDirVB):
    """c-bICA: CVB0 of the Beta-Dir model with gamma = 1 and K given, so all components are used.

    Same parameters as BetaDirVB. With the same random_state and n_components it starts from the
    same assignments as BinaryICA.
    """

    def __init__(
        self,
        n_components=5,
        *,
        alpha=1.0,
        beta=1.0,
        gamma=1.0,
        max_iter=500,
        tol=0.0,
        threads=1,
        max_memory_gb=4.0,
        orientation="rows",
        random_state=None,
    ):
        super().__init__(
            n_components,
            alpha=alpha,
            beta=beta,
            gamma=gamma,
            max_iter=max_iter,
            tol=tol,
            threads=threads,
            max_memory_gb=max_memory_gb,
            orientation=orientation,
            random_state=random_state,
        )
