from nbmf.workflow.jobs import logged

with logged(snakemake.log[0]):
    import pandas as pd

    from nbmf.files import atomic_path
    from nbmf.studies.lumbreras2020.claims import Run, judge, paper_numbers

    run = Run(pd.read_csv(snakemake.input.scores), pd.read_csv(snakemake.input.traces))
    verdicts, parts = judge(run)
    numbers = paper_numbers(pd.read_csv(snakemake.input.complete_scores))
    tables = {
        snakemake.output.claims: verdicts,
        snakemake.output.parts: parts,
        snakemake.output.numbers: numbers,
    }
    for path, table in tables.items():
        with atomic_path(path) as temporary:
            table.to_csv(temporary, index=False)
    print(verdicts.drop(columns="rule").to_string(index=False))
    print(parts.to_string(index=False))
    print(numbers.to_string(index=False))
