"""What the Snakemake workflow alone needs, from its configuration to the claims it checks."""
