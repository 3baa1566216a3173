"""What a fit job of the workflow does, with one iteration; prints a line of JSON.

python fit_worker.py CLASS matrix.npz mask.npz report.json
"""

import json
import sys
import time

started = time.perf_counter()

from nbmf import registry  # noqa: E402
from nbmf.data.masks import load_mask  # noqa: E402
from nbmf.data.matrix import BinaryMatrix  # noqa: E402
from nbmf.files import write_json  # noqa: E402
from nbmf.inference.experiment import run_fit  # noqa: E402
from process_memory import megabytes  # noqa: E402

BRIEF = {"max_iter": 1, "burn_in": 0, "n_samples": 1}

class_name, matrix_path, mask_path, report_path = sys.argv[1:]
settings = {key: BRIEF[key] for key in BRIEF if key in registry.settings_of(class_name)}
imported = time.perf_counter()
matrix = BinaryMatrix.load(matrix_path)
result = run_fit(
    matrix,
    load_mask(mask_path, matrix),
    class_name=class_name,
    K=2,
    settings=settings,
    seed_key=["benchmark"],
    log=lambda line: None,
)
write_json(report_path, result.report)
finished = time.perf_counter()
times = {"imports": imported - started, "job": finished - imported}
print(json.dumps(times | {"most": megabytes()["most"]}))
