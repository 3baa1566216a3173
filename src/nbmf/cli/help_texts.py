"""What --help says below the arguments: examples that run as they stand, and what is written."""

TOP = """\
examples:
  nbmf example votes                      write votes.csv: how countries voted in the UN
  nbmf info votes.csv                     a description of the file, and the next command
  nbmf fit votes.csv                      components, probabilities and pictures in votes.nbmf/
  nbmf fit votes.csv --ones yes --zeros no --missing ""
  nbmf compare votes.csv                  which method predicts held-out entries best
  nbmf cluster penguins.csv               clusters of rows of a table: numbers, categories, counts
  nbmf predict votes.nbmf votes.csv       the places of new rows, and their missing entries
  nbmf recommend votes.nbmf               the most probable columns of each row
  nbmf plot votes.nbmf --rows 80          draw a fit again

nbmf COMMAND --help lists more of them.
"""
EXAMPLE = """\
examples:
  nbmf example                              list the examples
  nbmf example votes                        votes.csv, a matrix with missing entries
  nbmf example parliament                   parliament.csv, whose rows have groups
  nbmf example penguins                     penguins.csv, a table of numbers and categories
  nbmf example votes --layout long --out votes-long.csv
  nbmf example parliament --layout presence --out follows.csv
"""
INFO = """\
examples:
  nbmf info votes.csv
  nbmf info votes.csv --ones yes --zeros no --missing ""
  nbmf info votes-long.csv --layout long --row country --column roll_call --value vote
  nbmf info follows.csv --layout presence --row follower --column followed

nbmf example --help has the commands that write these files. A file of counts, 0, 1, 2, ..., is
recognised, and the methods that take it are listed; --above 0 reads it as zeros and ones. Tables with
columns of several kinds, and texts, are recognised too: nbmf cluster and nbmf topics take them.
"""
FIT = """\
examples:
  nbmf fit votes.csv                              test for structure and show it; no K to choose
  nbmf fit votes.csv --no-check                   components without a test of structure
  nbmf fit votes.csv --method beta-dir-gs         Gibbs sampling in four chains, with diagnostics
  nbmf fit votes.csv --method beta-dir-gs --draws 400          with 90 % credible intervals
  nbmf fit votes.csv --method bica --components 5              exactly five components
  nbmf fit votes.csv --set alpha=0.2 --set beta=0.2            priors that are not learned
  nbmf fit parliament.csv --groups party --out by-party        groups of rows; another folder
  nbmf fit votes.csv --names west-to-east                      a name for the axis


Counts, 0, 1, 2, ..., have methods of their own: nbmf info FILE lists them. So have ordered categories, which are
named from the lowest on: nbmf fit answers.csv --categories never seldom often

files written to the folder FILE's name with .nbmf, or to the folder after --out:
  summary.txt       the printed summary: structure test, components, their rows and columns, loss, chains
  W.csv, H.csv      rows x components and components x columns, the most important ones first; where there are axes,
                    before these are rotated: scale.png, positions.csv and columns.csv have the axes
  expectation.csv   the probability of a one for every entry, also for missing ones (.npz if large);
                    for counts and ordered categories the mean
  components.csv    the share of each component, and the components of model.npz that it merges
  dictionary.png    both factors as a picture; reconstruction.png: the data next to E[V]
  scale.png         (methods with axes) rows along one axis, or on a map of two; positions.csv and
                    columns.csv: their positions, discriminations and difficulties (of counts slopes
                    and levels), with intervals, of columns by draws of a sampler
  model.npz         nbmf.load("model.npz") gives the fitted estimator; matrix.npz: the data
  stack.npz         the mixture of methods, if it predicts better than the method shown
  missing.csv       the probability of a one for each missing entry, by the mixture if there is one,
                    and by the model; of ordered categories the probability of each
  Where no structure is found there are no components and pictures. In CSV files an apostrophe before
  names that begin with =, +, - or @, but for numbers, keeps spreadsheets from computing them.
  *_lower.csv, *_upper.csv  (--draws) 90 % intervals;  chains.csv  (several chains or starts),
  chains.png  (chains);  groups.csv  (--groups) rows or columns by group and component
  report.html       all of this in one file
"""
COMPARE = """\
examples:
  nbmf compare votes.csv                                     the default methods, five masks
  nbmf compare votes.csv --methods beta-dir-vb bica --components 2 3 4 5
  nbmf compare votes.csv --masks 10                          less uncertainty
  nbmf compare votes.csv --iterations 500                    faster: Gibbs sampling with 500 sweeps

Counts have methods of their own, six by default, four of them with three values of K.

files written to the folder FILE's name with .compare, or to the folder after --out: scores.csv (a
row per fit), summary.csv, comparison.png, against_K.png (where a method has several K),
recommendation.txt, and report.html, which has all of it in one file. K is chosen on the same
held-out entries that are scored, which favours methods with many values of K a little.
"""
PREDICT = """\
examples:
  nbmf predict votes.nbmf votes.csv                     rows of the fit as if they were new
  nbmf predict votes.nbmf votes.csv --out new.xlsx      the tables as one workbook
  nbmf predict votes.nbmf/model.npz votes.csv           the same fit

Columns are matched by their names; those that do not match are reported. The file is read like that of the fit, with
its --ones, --above and so on, unless these options are given.

files written to the folder FILE's name with .predicted, next to FILE, or to the folder after --out:
  memberships.csv   the share of each row in each component, or positions.csv: its position on each axis, with
                    90 % intervals, given the columns of the fit; weights.csv for latent classes and other
                    methods without intervals
  missing.csv       the probability of a one for each missing entry; for counts the mean
  summary.txt       the printed summary; report.html
"""
RECOMMEND = """\
examples:
  nbmf recommend follows.nbmf                          ten columns for each row of the fit
  nbmf recommend follows.nbmf new.csv --top 20         for new rows
  nbmf recommend votes.nbmf --exclude observed         the most probable missing entries

Columns are matched by their names, as in nbmf predict. For a sparse matrix, columns that FILE does not have are
zeros. In a network, whose rows and columns have the same names, no row is recommended itself.

the CSV file has a line per row and recommended column: the row, the place (1 for the most probable), the column, and
the probability of a one; for counts the mean. Of a fit of several chains they are those of the chain in model.npz, and
differ a little from expectation.csv, the mean over chains
"""
COMPARE_FITS = """\
examples:
  nbmf compare-fits parliament.nbmf by-party                two fits of the same file
  nbmf compare-fits parliament.nbmf by-party --no-check     faster: without held-out entries

Rows and columns are matched by their names, and components by their profiles over these. A row moved if it has
another main component, or if the intervals of its positions do not overlap once most of the rows in
common are in the same places.

files written to the folder A-B.fits next to A, or to the folder after --out:
  components.csv    pairs of components, with their correlations over rows and over columns
  rows.csv          each row in both fits, and whether it moved
  summary.txt       the printed summary; report.html
"""
PATHS = """\
examples:
  nbmf paths votes.csv --period-in-names " R/(\\d+)/"      the session is in the names: KAMPUCHEA R/42/3
  nbmf paths votes.csv --periods sessions.csv            a file with the session of each roll call
  nbmf paths votes.csv --periods sessions.csv --show India Cuba --chains 2
  nbmf paths panel.csv --categories 1 2 3 4 --period-in-names "^w(\\d+)_"   answers in several waves: w1_q1

The position of a row moves from period to period by a random walk, and each column belongs to one period. The
log-odds of a one, or of an answer above a category, are an effect of the column plus the position of the row times
a slope of the column. A move that all rows make together is not seen: effects of columns take it up.

files written to the folder FILE's name with .paths, or to the folder after --out:
  paths.csv         the position of each row in each period of its span, with 90 % credible intervals
  groups.csv        (--groups) the mean position of the rows of a group, and how far it is from its first
  paths.png         paths with names and bands; nbmf plot DIR draws it again, without bands
  model.npz         nbmf.load("model.npz") gives the fitted estimator; matrix.npz: the data
  summary.txt       the printed summary; report.html
"""
PLOT = """\
examples:
  nbmf plot votes.nbmf                        all pictures of the fit again
  nbmf plot votes.nbmf --rows 120 --components 5 --out large.pdf
  nbmf plot votes.nbmf --out scale.pdf        the picture of that name
  nbmf plot votes.nbmf/model.npz              a saved model alone, also one from Python
  nbmf plot penguins.clusters --out a.pdf     profile.png as a PDF; for topics topics.png

chains.png and the picture of the other view are not drawn again: what they show is not in the model.
"""
CLUSTER = """\
examples:
  nbmf cluster penguins.csv                               how many clusters, and which?
  nbmf cluster penguins.csv --labels species              compare the clusters with labels
  nbmf cluster penguins.csv --labels species --ignore year --kind flipper_length_mm=count
  nbmf cluster penguins.csv --components 3 --model mmnb --out three      exactly three, as mixtures

nbmf example penguins writes that file: numbers, categories and missing cells.

files written to the folder FILE's name with .clusters, or to the folder after --out:
  summary.txt         the printed summary: number of components, what distinguishes each, labels
  memberships.csv     the share of each row in each component, and its main component
  distinguishing.csv  means, probabilities and rates of columns in each component and in all rows
  components.csv, scores.csv, labels.csv   sizes; how well each K predicts; rows by label
  memberships.png, profile.png             pictures; report.html has all of it in one file
  model.npz, table.npz   nbmf.load("model.npz") gives the fitted model; the data
  Where no structure is found there are no components and pictures.
"""
TOPICS = """\
examples:
  nbmf topics counts.csv                      a line per document, a column per word
  nbmf topics counts.csv --layout long --document page --word term --count n
  nbmf topics reviews.csv --text review --labels stars --stop-words english
  nbmf topics counts.mtx --words vocabulary.txt --components 10 20 --model fast-lda

files written to the folder FILE's name with .topics: those that nbmf cluster --help lists, with
topics.csv (words of each topic, by probability and by lift) and topics.png instead of
distinguishing.csv and profile.png.
"""
