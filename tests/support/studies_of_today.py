"""The studies as the shipped configuration has them."""

from checkout import ROOT, shipped_configuration

from nbmf_studies import all_studies
from nbmf_studies.pipeline import configuration

CONFIG = configuration.check(shipped_configuration(), ROOT / "workflow/schemas/config.schema.yaml")

PLANS = configuration.plans(CONFIG)

STUDIES = all_studies()

PRODUCTS = [
    (study, product)
    for key, study in STUDIES.items()
    for product in (*study.tables_of(PLANS[key]), *study.figures_of(PLANS[key]))
]
