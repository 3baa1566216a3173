"""What a fit job of the workflow does, with one iteration; prints a line of JSON.

python fit_worker.py CLASS matrix.npz mask.npz report.json
"""

import json
import sys
import time

started = time.perf_counter()

from nbmf import registry  # noqa: E402
from nbmf.data.loading import load_matrix  # noqa: E402
from nbmf.data.masks import load_mask  # noqa: E402
from nbmf.files import write_json  # noqa: E402
from nbmf.fits import FitRequest, run_fit  # noqa: E402
from process_memory import megabytes  # noqa: E402

class_name, matrix_path, mask_path, report_path = sys.argv[1:]
request = FitRequest(class_name, 2, registry.length_settings(class_name, 0, 1), ["benchmark"])
imported = time.perf_counter()
matrix = load_matrix(matrix_path)
result = run_fit(matrix, load_mask(mask_path, matrix), request, log=lambda line: None)
write_json(report_path, result.report)
finished = time.perf_counter()
times = {"imports": imported - started, "job": finished - imported}
print(json.dumps(times | {"most": megabytes()["most"]}))
