# One target per figure: `snakemake --cores 2 figure_10`. Figures 6 to 9 and the traces need complete fits,
# and are there if the datasets they show are in run.complete_fits.

DIAGNOSTICS = rules.diagnostics.output if COMPLETE_FITS else []

for figure in FIGURES:

    rule:
        name:
            figure
        input:
            files_of(figure),
        localrule: True


rule draw_figure_2:
    input:
        matrices=[
            MATRIX.format(dataset=p["dataset"]) for p in config["figures"]["figure_2"]
        ],
        sources=package_sources("nbmf.studies.lumbreras2020.figure_2"),
    output:
        pdf=FIGURE.format("figure_2.pdf"),
        png=report(
            FIGURE.format("figure_2.png"),
            category="Figures",
            # The report sorts labels as text: two spaces, seen as one, put 2 before 10.
            labels={"figure": "Figure  2: matrices drawn from the models"},
            caption="../report/figure_2.rst",
        ),
    log:
        f"{RESULTS}/logs/figures/figure_2.log",
    conda:
        "../../envs/figures.yaml"
    resources:
        mem_mb=per_attempt(2000),
        runtime=per_attempt(10),
    params:
        titles=[panel["title"] for panel in config["figures"]["figure_2"]],
    message:
        "draw figure 2"
    script:
        "../scripts/figure_2.py"


rule draw_figure_5:
    input:
        matrices=[MATRIX.format(dataset=name) for name in config["run"]["datasets"]],
        abstentions=(
            MATRIX.format(dataset=config["figures"]["figure_5"]["abstentions"])
            if "unvotes" in config["run"]["datasets"]
            else []
        ),
        sources=package_sources("nbmf.studies.lumbreras2020.figure_5"),
    output:
        pdf=FIGURE.format("figure_5.pdf"),
        png=report(
            FIGURE.format("figure_5.png"),
            category="Figures",
            labels={"figure": "Figure  5: the datasets"},
            caption="../report/figure_5.rst",
        ),
    log:
        f"{RESULTS}/logs/figures/figure_5.log",
    conda:
        "../../envs/figures.yaml"
    resources:
        mem_mb=per_attempt(2000),
        runtime=per_attempt(10),
    params:
        labels=json.dumps(
            {
                name: config["datasets"][name]["axes"]
                for name in config["run"]["datasets"]
            }
        ),
    message:
        "draw figure 5"
    script:
        "../scripts/figure_5.py"


if drawn("figure_6"):

    rule draw_figure_6:
        input:
            matrix=MATRIX.format(dataset=config["figures"]["figure_6"]["dataset"]),
            fits=files_of_shown_fits("figure_6"),
            sources=package_sources("nbmf.studies.lumbreras2020.figure_6", "nbmf.tables"),
        output:
            pdf=FIGURE.format("figure_6.pdf"),
            png=report(
                FIGURE.format("figure_6.png"),
                category="Figures",
                labels={"figure": "Figure  6: reconstructions"},
                caption="../report/figure_6.rst",
            ),
        log:
            f"{RESULTS}/logs/figures/figure_6.log",
        conda:
            "../../envs/figures.yaml"
        resources:
            mem_mb=per_attempt(2000),
            runtime=per_attempt(10),
        params:
            fits=json.dumps(shown_fits("figure_6")),
        message:
            "draw figure 6"
        script:
            "../scripts/figure_6.py"


for figure in filter(drawn, ("figure_7", "figure_8", "figure_9")):

    rule:
        name:
            f"draw_{figure}"
        input:
            matrix=MATRIX.format(dataset=config["figures"][figure]["dataset"]),
            fits=files_of_shown_fits(figure),
            diagnostics=DIAGNOSTICS,
            sources=package_sources("nbmf.plots.dictionaries", "nbmf.tables"),
        output:
            pdf=FIGURE.format(f"{figure}.pdf"),
            png=report(
                FIGURE.format(f"{figure}.png"),
                category="Figures",
                labels={
                    "figure": f"Figure  {figure[-1]}: dictionaries of {config['figures'][figure]['dataset']}"
                },
                caption=f"../report/{figure}.rst",
            ),
        log:
            f"{RESULTS}/logs/figures/{figure}.log",
        conda:
            "../../envs/figures.yaml"
        resources:
            mem_mb=per_attempt(2000),
            runtime=per_attempt(10),
        params:
            dataset=config["figures"][figure]["dataset"],
            fits=json.dumps(shown_fits(figure)),
            columns=config["figures"][figure]["columns"],
        message:
            f"draw {figure.replace('_', ' ')}"
        script:
            "../scripts/dictionaries.py"


rule draw_figure_10:
    input:
        scores=SCORES,
        diagnostics=DIAGNOSTICS,
        sources=package_sources("nbmf.plots.boxes"),
    output:
        pdf=FIGURE.format("figure_10.pdf"),
        png=report(
            FIGURE.format("figure_10.png"),
            category="Figures",
            labels={"figure": "Figure 10: held-out perplexity"},
            caption="../report/figure_10.rst",
        ),
    log:
        f"{RESULTS}/logs/figures/figure_10.log",
    conda:
        "../../envs/figures.yaml"
    resources:
        mem_mb=per_attempt(2000),
        runtime=per_attempt(10),
    params:
        methods=json.dumps(figure_10_methods()),
        datasets=config["run"]["datasets"],
        all_methods=list(config["methods"]),
    message:
        "draw figure 10"
    script:
        "../scripts/figure_10.py"


rule draw_figure_11:
    input:
        traces=rules.scores.output.traces,
        sources=package_sources("nbmf.plots.progress"),
    output:
        pdf=FIGURE.format("figure_11.pdf"),
        png=report(
            FIGURE.format("figure_11.png"),
            category="Figures",
            labels={"figure": "Figure 11: perplexity along iterations"},
            caption="../report/figure_11.rst",
        ),
    log:
        f"{RESULTS}/logs/figures/figure_11.log",
    conda:
        "../../envs/figures.yaml"
    resources:
        mem_mb=per_attempt(2000),
        runtime=per_attempt(10),
    params:
        series=[
            (method, K, label_of(method, K))
            for method, K in config["figures"]["figure_11"].items()
            if method in config["run"]["methods"]
            and K in config["methods"][method]["K"]
        ],
        datasets=config["run"]["datasets"],
        all_methods=list(config["methods"]),
    message:
        "draw figure 11"
    script:
        "../scripts/figure_11.py"


rule sensitivity_fits:
    input:
        kernels=KERNELS,
        sources=package_sources(
            "nbmf.studies.lumbreras2020.sensitivity_fits",
            *sorted(
                registry.module_of(config["methods"][method]["class"])
                for method in config["figures"]["sensitivity"]["methods"]
            ),
        ),
    output:
        f"{TABLES}/sensitivity.csv",
    log:
        f"{RESULTS}/logs/sensitivity.log",
    conda:
        "../../envs/figures.yaml"
    resources:
        mem_mb=per_attempt(2000),
        runtime=per_attempt(60),
    params:
        experiment=json.dumps(sensitivity_experiment(), sort_keys=True),
    message:
        "fit toy data with other concentrations than it was drawn with"
    script:
        "../scripts/sensitivity_fits.py"


rule draw_sensitivity:
    input:
        scores=rules.sensitivity_fits.output,
        sources=package_sources("nbmf.studies.lumbreras2020.sensitivity"),
    output:
        pdf=FIGURE.format("sensitivity.pdf"),
        png=report(
            FIGURE.format("sensitivity.png"),
            category="Figures",
            labels={"figure": "Sensitivity to hyperparameters"},
            caption="../report/sensitivity.rst",
        ),
    log:
        f"{RESULTS}/logs/figures/sensitivity.log",
    conda:
        "../../envs/figures.yaml"
    resources:
        mem_mb=per_attempt(2000),
        runtime=per_attempt(10),
    params:
        labels=json.dumps(
            {
                name: label_of(name)
                for name in config["figures"]["sensitivity"]["methods"]
            }
        ),
        all_methods=list(config["methods"]),
    message:
        "draw the sensitivity to hyperparameters"
    script:
        "../scripts/sensitivity.py"


if "fit_against_K" in FIGURES:

    rule draw_fit_against_K:
        input:
            scores=rules.complete_scores.output.scores,
            sources=package_sources("nbmf.plots.fit_against_K"),
        output:
            pdf=FIGURE.format("fit_against_K.pdf"),
            png=report(
                FIGURE.format("fit_against_K.png"),
                category="Figures",
                labels={"figure": "Fit against K"},
                caption="../report/fit_against_K.rst",
            ),
        log:
            f"{RESULTS}/logs/figures/fit_against_K.log",
        conda:
            "../../envs/figures.yaml"
        resources:
            mem_mb=per_attempt(2000),
            runtime=per_attempt(10),
        params:
            labels=json.dumps({name: label_of(name) for name in chosen_K_methods()}),
            shown_K=json.dumps(
                {
                    config["figures"][figure]["dataset"]: configuration.shown_K(
                        config, figure
                    )
                    for figure in configuration.FACTOR_FIGURES
                    if drawn(figure)
                }
            ),
            all_methods=list(config["methods"]),
        message:
            "draw the fit against K"
        script:
            "../scripts/fit_against_K.py"


for method in CHAINS:

    rule:
        name:
            f"draw_traces_{method}"
        input:
            traces=rules.complete_scores.output.traces,
            diagnostics=DIAGNOSTICS,
            sources=package_sources("nbmf.plots.traces"),
        output:
            pdf=FIGURE.format(f"traces_{method}.pdf"),
            png=report(
                FIGURE.format(f"traces_{method}.png"),
                category="Figures",
                labels={"figure": f"Traces of {label_of(method)}"},
                caption="../report/traces.rst",
            ),
        log:
            f"{RESULTS}/logs/figures/traces_{method}.log",
        conda:
            "../../envs/figures.yaml"
        resources:
            mem_mb=per_attempt(2000),
            runtime=per_attempt(10),
        params:
            method=method,
            label=label_of(method),
            burn_in=parameters_of(method)["burn_in"],
        message:
            f"draw the traces of {method}"
        script:
            "../scripts/traces.py"
