# The figures and tables of every study: one rule for figures and one for tables, made in a loop from what the
# studies declare. Each is a target: `snakemake --cores 2 lumbreras2020_figure_10`, `lumbreras2020_table_scores`; so
# is a study as a whole.


for study in PLANS:
    for table in MADE[study].tables:

        rule:
            name:
                f"{study}_table_{table.name}"
            input:
                unpack(inputs_of(study, table)),
                kernels=kernels_of(study, table),
                sources=sources_of(study, table),
            output:
                (
                    shown(study, "Tables", table, PATHS[study].table(table.name))
                    if table.in_report
                    else PATHS[study].table(table.name)
                ),
            log:
                PATHS[study].product_record("log", "tables", table.name),
            benchmark:
                PATHS[study].product_record("tsv", "tables", table.name)
            conda:
                environment_of(study, table)
            resources:
                mem_mb=memory_of(study, table),
                runtime=per_attempt(table.minutes),
            params:
                request=request_of(study, table),
                float_format=table.float_format,
            message:
                f"tabulate {table.name} of {study}"
            script:
                "../scripts/table.py"

    for figure in MADE[study].figures:

        rule:
            name:
                f"{study}_{figure.name}"
            input:
                unpack(inputs_of(study, figure)),
                sources=sources_of(study, figure),
            output:
                pdf=PATHS[study].figure(figure.name, "pdf"),
                png=shown(
                    study, "Figures", figure, PATHS[study].figure(figure.name, "png")
                ),
            log:
                PATHS[study].product_record("log", "figures", figure.name),
            benchmark:
                PATHS[study].product_record("tsv", "figures", figure.name)
            conda:
                environment_of(study, figure)
            resources:
                mem_mb=memory_of(study, figure),
                runtime=per_attempt(10),
            params:
                request=request_of(study, figure),
                dpi=figure.dpi,
            message:
                f"draw {figure.name} of {study}"
            script:
                "../scripts/figure.py"

    rule:
        name:
            study
        input:
            asked_for(study),
        localrule: True
