"""From a file of any usual format to a matrix, features or documents (docs/your-data.md).

A file becomes cells once, and what they mean is decided afterwards:

| module | what |
|---|---|
| formats | which format a file has, by its first bytes, and what reads it |
| cells | what every format becomes: a table read in blocks, an array, or the entries that are not 0 |
| delimited, data_frames, rda, matrix_market, numpy_files | the formats; text_lines has lines of files, gzipped or not |
| entry_lists, arrow_pieces | lists of entries in pieces, of which no entry becomes an object of Python |
| encoding | columns of values as codes; what they mean is in nbmf.data.value_codes |
| networks | matrices whose rows and columns are the same things |
| reading | `nbmf.read`: cells as a matrix of zeros and ones or of counts, and what is said about it |
| sparse_reading | `nbmf.read_sparse`: a large list of entries as a sparse matrix, a piece at a time |
| arguments, layouts | what may be asked of it, checked before any file is opened |
| tables_as_matrices | a row a line, or an entry a line |
| coded_matrix | a matrix of codes, and how large it may be |
| columns | a table as lists of values |
| features, column_kinds | `nbmf.read_table`: columns as features of several kinds |
| documents | `nbmf.read_documents`: counts of words |
"""
