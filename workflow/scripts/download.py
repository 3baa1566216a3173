import json

from workflow_job import logged

with logged(snakemake.log[0]):
    from nbmf_studies.pipeline.download import fetch

    fetch(json.loads(snakemake.params.source), snakemake.output[0], snakemake.config["mirrors"])
