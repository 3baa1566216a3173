"""Run by the scheduler after a failure, with what is to be shown on standard input: no job of a rule."""

import json
import sys

import workflow_job  # noqa: F401

from nbmf_studies.pipeline.partial import write_partial

request = json.load(sys.stdin)
shown = write_partial(**request)
print(f"{', '.join(shown)} with gaps for fits without a result: {request['folder']}/")
