import functools
import json
from pathlib import Path

from nbmf.jobs import logged

with logged(snakemake.log[0]):
    from nbmf.experiment import run_fit
    from nbmf.files import write_json
    from nbmf.masks import load_mask
    from nbmf.matrix import BinaryMatrix

    matrix = BinaryMatrix.load(snakemake.input.matrix)
    mask = load_mask(snakemake.input.mask, matrix)
    fit = json.loads(snakemake.params.fit)
    log = functools.partial(print, flush=True)
    checkpoint = Path(snakemake.output[0]).with_suffix(".checkpoint.npz")
    result = run_fit(
        matrix,
        mask,
        **fit,
        threads=snakemake.threads,
        checkpoint=checkpoint,
        checkpoint_seconds=snakemake.resources.checkpoint_seconds,
        log=log,
    )
    write_json(snakemake.output[0], result.report)
    checkpoint.unlink(missing_ok=True)
