# No rules: the configuration files of the repository. They are looked at before Snakemake reads them, which of one that
# is not YAML names neither the file nor the line.

import sys
from pathlib import Path

from snakemake.exceptions import WorkflowError

ROOT = Path(workflow.basedir)
sys.path.append(str(ROOT / "workflow/scripts"))

import workflow_job  # before what it makes importable

from nbmf.errors import ConfigError
from nbmf_studies.pipeline import yaml_files

CONFIG_FILES = [
    "config/config.yaml",
    "config/datasets.yaml",
    "config/sources.yaml",
    "src/nbmf/methods.yaml",
    *(f"config/studies/{file.name}" for file in sorted((ROOT / "config/studies").glob("*.yaml"))),
]

try:
    yaml_files.check(CONFIG_FILES)
except ConfigError as error:
    raise WorkflowError(str(error))
