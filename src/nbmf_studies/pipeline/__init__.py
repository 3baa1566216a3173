"""What Snakemake alone needs: checked configuration, raw files, jobs, status, verification."""
