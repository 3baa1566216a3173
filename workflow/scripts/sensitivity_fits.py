import json

from nbmf.workflow.jobs import logged

with logged(snakemake.log[0]):
    import pandas as pd

    from nbmf.files import atomic_path
    from nbmf.studies.lumbreras2020.sensitivity_fits import COLUMNS, run_sensitivity

    rows = run_sensitivity(**json.loads(snakemake.params.experiment))
    with atomic_path(snakemake.output[0]) as temporary:
        pd.DataFrame(rows, columns=COLUMNS).to_csv(temporary, index=False)
