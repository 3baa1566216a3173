import json

from nbmf.workflow.jobs import logged

with logged(snakemake.log[0]):
    import pandas as pd

    from nbmf.files import atomic_path
    from nbmf.posterior.diagnostics import diagnose

    table = diagnose(pd.read_csv(snakemake.input.traces), json.loads(snakemake.params.burn_in))
    with atomic_path(snakemake.output[0]) as temporary:
        table.to_csv(temporary, index=False)
    print(table.to_string(index=False))
