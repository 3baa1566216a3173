# Raw public data in, the figures and tables of papers out.
#
#   snakemake --cores 2                                          the studies of `run.studies`: the main paper's protocol
#   snakemake --cores 2 --configfile config/quick.yaml           the same in minutes
#   snakemake --cores 2 all_methods                              another study
#   snakemake --cores 2 lumbreras2020_figure_10                  one figure
#   snakemake --cores 2 verify                                   does this machine repeat the published run?
#   snakemake --cores 2 --nolock status                          which fits exist, failed or are missing
#   snakemake -n                                                 what would be run

from importlib.metadata import version

from snakemake.utils import min_version

min_version("9.0")


include: "workflow/rules/yaml.smk"


for file in CONFIG_FILES:

    configfile: file


wildcard_constraints:
    dataset="[A-Za-z0-9][A-Za-z0-9_.-]*",
    method="[A-Za-z0-9][A-Za-z0-9_.-]*",
    K="[0-9]+",
    mask="[0-9]+|none|whole",
    seed="[0-9]+",


include: "workflow/rules/common.smk"
include: "workflow/rules/data.smk"
include: "workflow/rules/masks.smk"
include: "workflow/rules/fits.smk"
include: "workflow/rules/studies.smk"
include: "workflow/rules/status.smk"
include: "workflow/rules/verify.smk"


report: "workflow/report/workflow.rst"


# To keep to a rate of job starts, Snakemake 9 looks at every waiting job once a second for each job that has finished
# (its issue 2967): half a core during the paper's run. Nothing here needs that rate, and no option switches it off. Later
# versions may do it otherwise: they are left alone.
onstart:
    if version("snakemake").startswith("9.") and hasattr(workflow.scheduler, "job_rate_limiter"):
        workflow.scheduler.job_rate_limiter = None


rule all:
    """The studies of `run.studies`."""
    default_target: True
    input:
        asked_for(*config["run"]["studies"]),
    localrule: True
