"""What the experiments on η compare, by names; drawing and judging need no more of them."""

DIR_DIR = "dir-dir-gs"
OTHERS = ("beta-dir-gs", "beta-dir-vb", "c-bica", "bica")  # mean-parameterised, with weights on one side
COLUMNS, ROWS = "columns", "rows"  # which side has the concentration that is varied
PRINTED_LOSS = 8930  # D(V|V^) of Dir-Dir on parliament in Figure 6, nats
