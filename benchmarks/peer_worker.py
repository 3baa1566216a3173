"""Runs one peer in the peer's own environment; knows nothing of nbmf. Prints a line of JSON.

    python -P peer_worker.py PEER arrays.npz settings.json output.npy

arrays.npz has codes (F, N): 1, 0, -1 (not seen).
"""

import json
import sys
import time

import numpy as np


def nbmf_mm(codes: np.ndarray, settings: dict, output: str) -> dict:
    """Fit with the unseen entries masked; save E[V] (F, N)."""
    from nbmf_mm import NBMF

    values, mask = (codes == 1).astype(float), (codes >= 0).astype(float)
    NBMF(**settings | {"max_iter": 1}).fit(values, mask=mask)  # whatever is loaded late
    model = NBMF(**settings)
    started = time.perf_counter()
    model.fit(values, mask=mask)
    seconds = time.perf_counter() - started
    np.save(output, model.inverse_transform(model.W_))
    return {"seconds": seconds, "iterations": model.n_iter_}


def tomotopy(codes: np.ndarray, settings: dict, output: str) -> dict:
    """Time sweeps of collapsed Gibbs sampling of LDA; columns are documents, ones are tokens."""
    import tomotopy as tp

    model = tp.LDAModel(k=settings["K"], alpha=settings["alpha"], eta=settings["eta"], seed=settings["seed"])
    model.optim_interval = 0  # the concentrations stay
    for column in codes.T:
        model.add_doc([str(f) for f in np.flatnonzero(column == 1)])

    def sweep(sweeps):
        model.train(sweeps, workers=1, parallel=tp.ParallelScheme.NONE)

    sweep(settings["warm_up"])
    per_sweep = []
    for _ in range(settings["rounds"]):
        started = time.perf_counter()
        sweep(settings["sweeps"])
        per_sweep.append((time.perf_counter() - started) / settings["sweeps"])
    return {"per_sweep": per_sweep, "tokens": int(model.num_words), "compiled for": tp.isa}


def lda(codes: np.ndarray, settings: dict, output: str) -> dict:
    """The same with lda, which has no way to go on: the difference of a long and a short fit."""
    from lda import LDA

    tokens = np.ascontiguousarray((codes.T == 1).astype(np.intc))

    def seconds_of(sweeps):
        model = LDA(settings["K"], sweeps, settings["alpha"], settings["eta"], settings["seed"], refresh=10**9)
        started = time.perf_counter()
        model.fit(tokens)
        return time.perf_counter() - started

    short, sweeps = settings["warm_up"], settings["sweeps"]
    per_sweep = [(seconds_of(short + sweeps) - seconds_of(short)) / sweeps for _ in range(settings["rounds"])]
    return {"per_sweep": per_sweep, "tokens": int(tokens.sum())}


def gensim(codes: np.ndarray, settings: dict, output: str) -> dict:
    """Fit LDA to the first columns; save topics, and shares of the others, after every M-step.

    Saved is an array (M-steps, K, words + documents that were not fitted).
    """
    from gensim.models import LdaModel

    documents = [[(int(word), 1) for word in np.flatnonzero(column == 1)] for column in codes.T]
    fitted, others = documents[: settings["fitted"]], documents[settings["fitted"] :]
    seconds, found = [], []

    class Stepwise(LdaModel):
        def do_mstep(self, *arguments):
            super().do_mstep(*arguments)
            seconds.append(time.process_time() - self.started)
            gamma, _ = self.inference(others)
            shares = gamma / gamma.sum(axis=1, keepdims=True)
            found.append(np.hstack([self.get_topics(), shares.T]))
            self.started = time.process_time()

    Stepwise.started = time.process_time()
    words = {word: word for word in range(len(codes))}
    Stepwise(fitted, settings["K"], words, random_state=0, eval_every=None, **settings["given"])
    np.save(output, np.array(found))
    return {"seconds": seconds}


if __name__ == "__main__":
    peer, arrays_path, settings_path, output_path = sys.argv[1:]
    with np.load(arrays_path, allow_pickle=False) as arrays:
        given = arrays["codes"]
    with open(settings_path, encoding="utf-8") as file:
        given_settings = json.load(file)
    run = {"nbmf-mm": nbmf_mm, "tomotopy": tomotopy, "lda": lda, "gensim": gensim}[peer]
    print(json.dumps(run(given, given_settings, output_path)))
