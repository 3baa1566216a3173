import sys

from workflow_job import logged

with logged(snakemake.log[0]):
    from nbmf.evaluation.score_table import write_table
    from nbmf_studies.pipeline import verification

    reference = verification.read_tables(snakemake.params.reference)
    rows = verification.compare_runs(verification.read_tables(snakemake.params.tables), reference)
    table, alone = verification.summarise_comparison(rows), verification.unmatched_keys(rows)
    print(table.to_string(index=False))
    if not alone.empty:
        print("rows without a partner:", alone.to_string(index=False), sep="\n")
    summary = f"{snakemake.wildcards.study}: {verification.counts(rows)}"
    results = table["result"].value_counts()
    words = ", ".join(f"{number} {result}" for result, number in results.items())
    for file in (sys.stdout, sys.__stdout__):  # the log, and the terminal
        print(
            *verification.describe_uncompared(reference),
            summary,
            f"of {len(table)} combinations of table, dataset, method and K: {words}",
            sep="\n",
            file=file,
        )
    verification.require_repeated(rows)
    if snakemake.params.accept == "identical":
        verification.require_identical(rows)
    write_table(snakemake.output[0], table)
