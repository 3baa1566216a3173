import json

from nbmf.workflow.jobs import logged

with logged(snakemake.log[0]):
    from nbmf.workflow.download import fetch

    fetch(json.loads(snakemake.params.source), snakemake.output[0], snakemake.config["mirrors"])
