"""The jobs of the Snakefile next to this: each calls a function of nbmf.families.poisson_gamma.row_blocks.

    python job.py count MODEL MATRIX OUT
    python job.py begin MODEL OUT COUNTS...
    python job.py pass MODEL NUMBER MATRIX COLUMNS OUT SUMS [BLOCK]
    python job.py combine MODEL COLUMNS OUT SUMS...
    python job.py model MODEL NUMBER COLUMNS BLOCK OUT

MODEL is JSON: the name of the class and its parameters. The bound is computed in the last round.
"""

import json
import sys

import scipy.sparse

import nbmf
from nbmf.families.poisson_gamma import row_blocks
from nbmf.families.poisson_gamma.row_blocks import read, write

task, text, *rest = sys.argv[1:]
settings = json.loads(text)
model = getattr(nbmf, settings.pop("class"))(**settings)
match task, rest:
    case "count", [matrix, out]:
        write(out, row_blocks.count_block(model, scipy.sparse.load_npz(matrix)))
    case "begin", [out, *counts]:
        write(out, row_blocks.begin(model, [read(path) for path in counts]))
    case "pass", [number, matrix, columns, out, sums, *before]:
        now, block = read(columns), read(before[0]) if before else None
        is_last = int(now["round"]) == model.max_iter - 1
        V = scipy.sparse.load_npz(matrix)
        block, of_block = row_blocks.pass_block(model, V, now, int(number), block, bound=is_last)
        write(out, block)
        write(sums, of_block)
    case "combine", [columns, out, *sums]:
        write(out, row_blocks.combine(model, read(columns), [read(path) for path in sums]))
    case "model", [number, columns, block, out]:
        row_blocks.block_model(model, read(columns), int(number), read(block)).save(out)
    case _:
        sys.exit(__doc__)
