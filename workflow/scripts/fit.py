import functools
import json
from pathlib import Path

from workflow_job import logged

with logged(snakemake.log[0]):
    from nbmf_studies.pipeline.attempts import attempt
    from nbmf_studies.pipeline.paths import key_of

    report = Path(snakemake.output.report)
    with attempt(report.with_suffix(".attempt"), key_of(snakemake.wildcards).columns()):
        from nbmf.data.loading import load_matrix
        from nbmf.data.masks import load_mask
        from nbmf.files import write_json
        from nbmf.fits import FitRequest, run_fit, save_factors

        matrix = load_matrix(snakemake.input.matrix)
        mask_file = snakemake.input.get("mask")  # an unmasked fit has none
        checkpoint = report.with_suffix(".checkpoint.npz")
        result = run_fit(
            matrix,
            load_mask(mask_file, matrix) if mask_file else None,
            FitRequest(**json.loads(snakemake.params.fit)),
            threads=snakemake.threads,
            checkpoint=checkpoint,
            checkpoint_seconds=snakemake.config["run"]["checkpoint_seconds"],
            log=functools.partial(print, flush=True),
        )
        factors_file = snakemake.output.get("factors")
        if factors_file:
            save_factors(factors_file, result.estimator)
        write_json(report, result.report)
        checkpoint.unlink(missing_ok=True)
