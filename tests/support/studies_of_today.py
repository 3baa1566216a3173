"""The studies as the shipped configuration has them, with the products of all raw files, also of those not here."""

from checkout import ROOT, shipped_configuration

from nbmf_studies import all_studies
from nbmf_studies.framework.plan import Plan
from nbmf_studies.pipeline import configuration

CONFIG = configuration.check(shipped_configuration(), ROOT / "workflow/schemas/config.schema.yaml")

PLANS = {key: Plan(key, CONFIG) for key in CONFIG["studies"]}

STUDIES = all_studies()

PRODUCTS = [
    (study, product)
    for key, study in STUDIES.items()
    for product in (*study.tables_of(PLANS[key]), *study.figures_of(PLANS[key]))
]
