"""What --help says below the arguments: examples that run as they stand, and what is written."""

TOP = """\
examples:
  nbmf example votes                      write votes.csv: how countries voted in the UN
  nbmf info votes.csv                     what is in the file, and what to type next
  nbmf fit votes.csv                      components, probabilities and pictures in votes.nbmf/
  nbmf fit votes.csv --ones yes --zeros no --missing ""
  nbmf compare votes.csv                  which method predicts held-out entries best
  nbmf cluster penguins.csv               kinds of rows of a table: numbers, categories, counts
  nbmf predict votes.nbmf votes.csv       where new rows are, and what they lack
  nbmf recommend votes.nbmf               the most probable columns of each row
  nbmf plot votes.nbmf --rows 80          draw a fit again

nbmf COMMAND --help has more of them.
"""
EXAMPLE = """\
examples:
  nbmf example                              which examples there are
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
  nbmf fit votes.csv                              is there structure, and which? no K to choose
  nbmf fit votes.csv --no-check                   components, whatever they are worth
  nbmf fit votes.csv --method beta-dir-gs         Gibbs sampling, four chains: has it converged?
  nbmf fit votes.csv --method beta-dir-gs --draws 400          with 90 % credible intervals
  nbmf fit votes.csv --method bica --components 5              exactly five components
  nbmf fit votes.csv --set alpha=0.2 --set beta=0.2            priors that are not learned
  nbmf fit parliament.csv --groups party --out by-party        rows have groups; another folder
  nbmf fit votes.csv --names west east                         once you know what components are

Counts, 0, 1, 2, ..., have methods of their own: nbmf info FILE says which.

what is written, in FILE's name with .nbmf at the end, or in the folder after --out:
  summary.txt       what is printed: the verdict, components, their rows and columns, loss, chains
  W.csv, H.csv      rows x components and components x columns, the most important ones first
  expectation.csv   the probability of a one for every entry, for missing ones too (.npz if large);
                    of counts the mean
  components.csv    the share of each component, and those of model.npz that it stands for
  dictionary.png    both factors as a picture; reconstruction.png: the data next to E[V]
  scale.png         (logistic methods) rows along one axis, or on a map of two; positions.csv and
                    columns.csv: their positions with intervals, discriminations and difficulties
  model.npz         nbmf.load("model.npz") gives the fitted estimator; matrix.npz: the data
  stack.npz         the mixture of methods that predicts better than the one shown, if one does;
                    missing.csv: what it says about missing entries, next to what the model says
  Where nothing is found there are no components and pictures.
  *_lower.csv, *_upper.csv  (--draws) 90 % intervals;  chains.csv  (several chains or starts),
  chains.png  (chains);  groups.csv  (--groups) rows or columns by group and component
  report.html       all of this in one file that can be mailed
"""
COMPARE = """\
examples:
  nbmf compare votes.csv                                     eight methods, five masks
  nbmf compare votes.csv --methods beta-dir-vb bica --components 2 3 4 5
  nbmf compare votes.csv --masks 10                          a more certain answer
  nbmf compare votes.csv --iterations 500                    a quicker one: Gibbs with 500 sweeps

Counts are compared by methods of their own, five by default, with three K each.

written to FILE's name with .compare at the end, or to the folder after --out: scores.csv (a row
per fit), summary.csv, comparison.png, against_K.png (where a method has several K),
recommendation.txt, and report.html, which has all of it in one file. K is chosen on the same
held-out entries that are scored, which favours methods with many K a little.
"""
PREDICT = """\
examples:
  nbmf predict votes.nbmf votes.csv                     rows of the fit as if they were new
  nbmf predict votes.nbmf votes.csv --out new.xlsx      the tables as one workbook
  nbmf predict votes.nbmf/model.npz votes.csv           a saved model alone

Columns are matched by their names; those that do not match are reported. The file is read as that of the fit was, with
its --ones, --above and so on, unless other ones are typed.

what is written, in FILE's name with .predicted at the end, next to FILE, or in the folder after --out:
  memberships.csv   the share of each row in each component, or positions.csv: its position on each axis, with
                    90 % intervals, given the columns of the fit; weights.csv of methods that have none
  missing.csv       the probability of a one of each missing entry; of counts the mean
  summary.txt       what is printed; report.html
"""
RECOMMEND = """\
examples:
  nbmf recommend follows.nbmf                          ten columns for each row of the fit
  nbmf recommend follows.nbmf new.csv --top 20         for new rows, which are folded in
  nbmf recommend votes.nbmf --exclude observed         missing entries that are most probable

Columns are matched by their names, as by nbmf predict; of a matrix too large for its zeros, columns that FILE does
not have are zeros.

what is written, a CSV file with a line per row and column: the row, its place (1 for the most probable), the column,
and the probability of a one; of counts the mean
"""
COMPARE_FITS = """\
examples:
  nbmf compare-fits votes.nbmf by-party                two fits of the same file
  nbmf compare-fits votes.nbmf by-party --no-check     without holding entries out, which takes time

Rows and columns are matched by their names, components by what they say about these. A row moved if its main
component is another one, or if the intervals of its positions do not overlap.

what is written, in a folder named A-B.fits next to A, or in the one after --out:
  components.csv    pairs of components, with correlations of what they say about rows and about columns
  rows.csv          each row in both fits, and whether it moved
  summary.txt       what is printed; report.html
"""
PLOT = """\
examples:
  nbmf plot votes.nbmf                        all pictures of the fit once more
  nbmf plot votes.nbmf --rows 120 --components 5 --out large.pdf
  nbmf plot votes.nbmf/model.npz              a saved model alone, this or one from Python
  nbmf plot penguins.clusters --out a.pdf     profile.png as a PDF; of topics topics.png
"""
CLUSTER = """\
examples:
  nbmf cluster penguins.csv                               how many kinds are there, and which?
  nbmf cluster penguins.csv --labels species              do they agree with labels?
  nbmf cluster penguins.csv --labels species --ignore year --kind flipper_length_mm=count
  nbmf cluster penguins.csv --components 3 --model mmnb --out three      exactly three, mixed

nbmf example penguins writes that file: numbers, categories, missing cells.

what is written, in FILE's name with .clusters at the end, or in the folder after --out:
  summary.txt         what is printed: how many components, what distinguishes each, labels
  memberships.csv     the share of each row in each component, and its main one
  distinguishing.csv  means, probabilities and rates of columns in each component and in all rows
  components.csv, scores.csv, labels.csv   sizes; how well each K predicts; rows by label
  memberships.png, profile.png             pictures; report.html has all of it in one file
  model.npz, table.npz   nbmf.load("model.npz") gives the fitted model; the data
  Where nothing is found there are no components and pictures.
"""
TOPICS = """\
examples:
  nbmf topics counts.csv                      a line per document, a column per word
  nbmf topics counts.csv --layout long --document page --word term --count n
  nbmf topics reviews.csv --text review --labels stars --stop-words english
  nbmf topics counts.mtx --words vocabulary.txt --components 10 20 --model fast-lda

what is written, in FILE's name with .topics at the end: as nbmf cluster --help lists it, with
topics.csv (words of each topic, by probability and by lift) and topics.png instead of
distinguishing.csv and profile.png.
"""
