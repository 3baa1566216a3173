# The figures and tables of every study, from what the studies declare: a rule for figures, one for tables, and one for
# the tables that the report shows.

from nbmf_studies.pipeline import fit_jobs

STUDY = Paths(RESULTS, config["matrices"], "{study}")


rule table:
    """A table of a study."""
    input:
        unpack(inputs_of_product),
        sources=of_product(lambda *which: package_sources(*targets.modules(*which))),
    output:
        STUDY.table("{table}"),
    log:
        STUDY.product_record("log", "tables", "{table}"),
    benchmark:
        STUDY.product_record("tsv", "tables", "{table}")
    wildcard_constraints:
        table=targets.pattern("tables", RUNS, lambda table: not table.in_report),
    conda:
        "../../envs/figures.yaml"
    resources:
        mem_mb=per_attempt(fit_jobs.LIBRARIES_MB),
        runtime=per_attempt(10),
    params:
        request=of_product(targets.request),
        float_format=of_product(lambda table, _: table.float_format),
    message:
        "tabulate {wildcards.table} of {wildcards.study}"
    script:
        "../scripts/table.py"


use rule table as table_of_report with:
    output:
        shown(STUDY.table("{table}")),
    wildcard_constraints:
        table=targets.pattern("tables", RUNS, lambda table: table.in_report),


rule figure:
    """A figure of a study."""
    input:
        unpack(inputs_of_product),
        sources=of_product(lambda *which: package_sources(*targets.modules(*which))),
    output:
        pdf=STUDY.figure("{figure}", "pdf"),
        png=shown(STUDY.figure("{figure}", "png")),
    log:
        STUDY.product_record("log", "figures", "{figure}"),
    benchmark:
        STUDY.product_record("tsv", "figures", "{figure}")
    wildcard_constraints:
        figure=targets.pattern("figures", RUNS, lambda figure: True),
    conda:
        "../../envs/figures.yaml"
    resources:
        mem_mb=per_attempt(fit_jobs.LIBRARIES_MB),
        runtime=per_attempt(10),
    params:
        request=of_product(targets.request),
        dpi=of_product(lambda figure, _: figure.dpi),
    message:
        "draw {wildcards.figure} of {wildcards.study}"
    script:
        "../scripts/figure.py"


# What a person can ask for by name: Snakemake takes no rule with wildcards as a target, and no name of one with them.
for name, title, files in named_targets():

    rule:
        name:
            name
        input:
            files,
        localrule: True

    workflow.get_rule(name).docstring = title  # for `snakemake --list`
