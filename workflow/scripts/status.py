import json
from pathlib import Path

import workflow_job  # noqa: F401

from nbmf_studies.pipeline.status import FitFiles, states_of, summary

# On the screen, unlike other scripts, and in the log.
states = states_of(FitFiles(*fit) for fit in json.loads(snakemake.params.fits))
entries, threads = (json.loads(text) for text in (snakemake.params.entries, snakemake.params.threads))
text = summary(states, entries, snakemake.params.cores, threads)
print(text)
Path(snakemake.log[0]).write_text(text + "\n", encoding="utf-8")
