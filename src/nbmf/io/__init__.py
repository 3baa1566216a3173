"""Readers: from a file of any usual format to a matrix (docs/your-data.md).

| module | what |
|---|---|
| reading | `nbmf.read`: which format a file has, and what is said about it |
| arguments | what may be asked of a reader, checked before any file is opened |
| coding | which values are ones, zeros and missing |
| counting | which are counts, and when a file is taken for one of counts |
| content | what every reader returns; records of (row, column, value) made a matrix |
| text | lines of text files, gzipped or not |
| delimited | CSV, TSV and the like |
| matrix_market | .mtx |
| numpy_files | .npz, .npy, scipy.sparse |
| tables | data frames, as Parquet and R files hold them |
| parquet, r_data | those files |
"""
