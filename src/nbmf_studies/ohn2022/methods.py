"""The names of the two priors among the methods of config/studies/ohn2022.yaml."""

CIBP = "ohn2022-cibp"
IBP = "ohn2022-ibp"
