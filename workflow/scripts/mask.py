import json

from workflow_job import logged

with logged(snakemake.log[0]):
    from nbmf.data.loading import load_matrix
    from nbmf.data.masks import draw_mask, save_mask
    from nbmf.seeds import seed_sequence
    from nbmf_studies.pipeline import mask_jobs

    matrix = load_matrix(snakemake.input.matrix)
    probability, held_out = snakemake.params.test_probability, snakemake.params.held_out
    if mask_jobs.is_drawn_by_study(held_out):
        mask = mask_jobs.draw(matrix, int(snakemake.wildcards.mask), held_out, json.loads(snakemake.params.options))
    else:
        mask = draw_mask(matrix, probability, seed_sequence(*json.loads(snakemake.params.seed_key)), held_out)
    save_mask(snakemake.output[0], mask)
    print(f"{mask.sum()} of {matrix.observed.sum()} observed entries are held out")
