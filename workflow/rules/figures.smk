# One target per figure: `snakemake --cores 2 figure_10`.


rule figure_10:
    input:
        multiext(f"{RESULTS}/figures/figure_10", ".pdf", ".png"),
    localrule: True


rule draw_figure_10:
    input:
        scores=SCORES,
        sources=package_sources("nbmf.figures.figure_10"),
    output:
        pdf=f"{RESULTS}/figures/figure_10.pdf",
        png=report(
            f"{RESULTS}/figures/figure_10.png",
            category="Figures",
            caption="../report/figure_10.rst",
        ),
    log:
        f"{RESULTS}/logs/figures/figure_10.log",
    conda:
        "../../envs/figures.yaml"
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        methods=json.dumps(
            {
                name: {key: config["methods"][name][key] for key in ("label", "K")}
                for name in config["run"]["methods"]
                if config["methods"][name]["in_figure_10"]
            }
        ),
        datasets=config["run"]["datasets"],
    message:
        "draw figure 10"
    script:
        "../scripts/figure_10.py"
