# A sampler of an R package on one matrix, for benchmarks/item_response.py:
#   Rscript item_response.R METHOD MATRIX.csv OUT SWEEPS PRIOR PERIODS
# MATRIX has no header and empty cells where a value is missing; categories are 0, 1, ... PRIOR is "unit" (variances of 1) or
# "default" (those of the package); PERIODS has a number per column, or is "-". A sixth of SWEEPS is burn-in, every fifth
# of the others is kept. OUT gets doubles: kept draws, parameters, CPU seconds of the call, then the draws, parameter by parameter.

args <- commandArgs(trailingOnly = TRUE)
method <- args[1]
V <- as.matrix(read.csv(args[2], header = FALSE))
sweeps <- as.integer(args[4])
unit <- args[5] == "unit"
F <- nrow(V)
N <- ncol(V)
rownames(V) <- paste0("r", seq_len(F))
colnames(V) <- paste0("c", seq_len(N))
burnin <- sweeps %/% 6L
kept <- sweeps - burnin
set.seed(0)

started <- proc.time()
if (method == "ideal") {
  suppressMessages(library(pscl))
  votes <- rollcall(V, yea = 1, nay = 0, missing = NA)
  priors <- if (unit) list(xp = 0, xpv = 1, bp = 0, bpv = 1) else NULL
  started <- proc.time()
  fit <- ideal(votes, d = 1, maxiter = sweeps, burnin = burnin, thin = 5, priors = priors, store.item = TRUE,
    dropList = list(codes = "notInLegis")) # unanimous roll calls are kept
  seconds <- sum((proc.time() - started)[1:2])
  # P(v = 1) = pnorm(x b - a); the difficulty a is the last of the two
  draws <- cbind(fit$x[, , 1], fit$beta[, , 1], fit$beta[, , 2])
} else {
  suppressMessages(library(MCMCpack))
  started <- proc.time()
  if (method == "irt1d") {
    given <- if (unit) list(ab0 = 0, AB0 = 1) else list()
    fit <- do.call(MCMCirt1d, c(list(V, burnin = burnin, mcmc = kept, thin = 5, store.item = TRUE,
      store.ability = TRUE, drop.constant.items = FALSE), given))
    order <- c(paste0("theta.r", seq_len(F)), paste0("beta.c", seq_len(N)), paste0("alpha.c", seq_len(N)))
  } else if (method == "dynamic") {
    periods <- as.integer(strsplit(args[6], ",")[[1]])
    T <- max(periods)
    filled <- V # its default start, zeros, has no coefficients
    filled[is.na(V)] <- mean(V, na.rm = TRUE)
    scores <- as.vector(scale(svd(scale(filled, scale = FALSE))$u[, 1]))
    given <- if (unit) list(a0 = 0, A0 = 1, b0 = 0, B0 = 1, c0 = 4, d0 = 0.1) else list()
    fit <- do.call(MCMCdynamicIRT1d, c(list(V, item.time.map = periods, burnin = burnin, mcmc = kept, thin = 5,
      store.ability = TRUE, store.item = TRUE, theta.start = scores), given))
    thetas <- as.vector(outer(seq_len(F), seq_len(T), function(f, t) paste0("theta.r", f, ".t", t)))
    absent <- setdiff(thetas, colnames(fit)) # before a row's first period and after its last one
    fit <- cbind(as.matrix(fit), matrix(NA, nrow(fit), length(absent), dimnames = list(NULL, absent)))
    order <- c(thetas, paste0("beta.c", seq_len(N)), paste0("alpha.c", seq_len(N)))
  } else {
    C <- max(V, na.rm = TRUE) + 1
    given <- if (unit) list(l0 = 0, L0 = 1) else list()
    fit <- do.call(MCMCordfactanal, c(list(V + 1, factors = 1, burnin = burnin, mcmc = kept, thin = 5, tune = 0.5,
      store.lambda = TRUE, store.scores = TRUE), given))
    cuts <- as.vector(outer(seq_len(N), seq_len(C - 2) + 1, function(n, c) paste0("gamma", c, ".c", n)))
    order <- c(paste0("phi.r", seq_len(F), ".2"), paste0("Lambdac", seq_len(N), ".2"), paste0("Lambdac", seq_len(N), ".1"),
      cuts)
  }
  seconds <- sum((proc.time() - started)[1:2])
  missed <- setdiff(order, colnames(fit))
  if (length(missed)) stop("no draws of ", paste(head(missed), collapse = ", "), "; there are ", paste(head(colnames(fit)), collapse = ", "))
  draws <- as.matrix(fit)[, order]
}
out <- file(args[3], "wb")
writeBin(as.double(c(nrow(draws), ncol(draws), seconds)), out)
writeBin(as.double(draws), out)
close(out)
