import functools
import json
from pathlib import Path

from nbmf.jobs import logged

with logged(snakemake.log[0]):
    from nbmf.experiment import run_fit, save_factors
    from nbmf.files import write_json
    from nbmf.matrix import BinaryMatrix

    matrix = BinaryMatrix.load(snakemake.input.matrix)
    fit = json.loads(snakemake.params.fit)
    log = functools.partial(print, flush=True)
    checkpoint = Path(snakemake.output.report).with_suffix(".checkpoint.npz")
    result = run_fit(
        matrix,
        None,
        **fit,
        threads=snakemake.threads,
        checkpoint=checkpoint,
        checkpoint_seconds=snakemake.resources.checkpoint_seconds,
        log=log,
    )
    save_factors(snakemake.output.factors, result.estimator)
    write_json(snakemake.output.report, result.report)
    checkpoint.unlink(missing_ok=True)
