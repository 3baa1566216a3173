import json

from workflow_job import logged

with logged(snakemake.log[0]):
    from nbmf.data.loading import load_matrix
    from nbmf.data.masks import draw_mask, fold_mask, save_mask
    from nbmf.seeds import seed_sequence
    from nbmf_studies.pipeline import mask_jobs

    matrix, params = load_matrix(snakemake.input.matrix), snakemake.params
    number, seed = int(snakemake.wildcards.mask), seed_sequence(*json.loads(params.seed_key))
    if mask_jobs.is_drawn_by_study(params.held_out):
        mask = mask_jobs.draw(matrix, number, params.held_out, json.loads(params.options))
    elif params.folds:
        mask = fold_mask(matrix, number, params.folds, seed, params.held_out)
    else:
        mask = draw_mask(matrix, params.test_probability, seed, params.held_out)
    save_mask(snakemake.output[0], mask)
    whole = mask.size if mask.ndim == 1 else matrix.observed.sum()
    print(f"{mask.sum()} of {whole} {'rows' if mask.ndim == 1 else 'observed entries'} are held out")
