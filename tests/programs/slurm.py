"""A real Slurm on this machine, and some fits through it: equal scores, bit for bit.

    python tests/programs/slurm.py [config/quick.yaml results/quick]

Installs Debian's slurm-wlm and munge if it may, starts munged, slurmctld and slurmd on the loopback
interface with everything in a temporary folder, and stops what it started. Where Slurm cannot be
installed it says why and ends with code 0: that is no failure of the workflow.
"""

import getpass
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack, suppress
from pathlib import Path

import pandas as pd

sys.path.append(str(Path(__file__).resolve().parents[1] / "support"))

from checkout import ROOT, Checkout

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "sinfo")
PACKAGES = ("slurm-wlm", "munge")
SYSTEM_CONF = Path("/etc/slurm/slurm.conf")
TABLES = ("scores", "unmasked_scores")
TARGETS = tuple(f"lumbreras2020_table_{name}" for name in TABLES)  # every fit of the study
# The profile's job per fit for unmasked ones, groups for the others: both ways are tried.
GROUPS = ("--groups", "fit=fits", "--group-components", "fits=4", "--cores", "1")
UP_WITHIN, DOWN_WITHIN = 60, 20  # seconds
CTLD_PORT, SLURMD_PORT = 16817, 16818  # not Slurm's own: another one may run here

# No accounting, no control groups: this runs in containers too.
SLURM_CONF = """
ClusterName=nbmf-test
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ctld_port}
SlurmdPort={slurmd_port}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
SlurmUser={user}
SlurmdUser={user}
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
SwitchType=switch/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
SchedulerParameters=sched_interval=2,bf_interval=2
ReturnToService=2
MinJobAge=600
KillWait=5
MaxArraySize=10000
NodeName={host} NodeAddr=127.0.0.1 CPUs={cpus} RealMemory={memory} State=UNKNOWN
PartitionName=main Nodes={host} Default=YES MaxTime=INFINITE State=UP
"""


class Unavailable(Exception):
    """Why there is no Slurm to test against."""


def install() -> None:
    """Install the Debian packages if the programs are not there."""
    if all(map(_find, PROGRAMS)):
        return
    if shutil.which("apt-get") is None:
        raise Unavailable("Slurm is not installed, and there is no apt-get")
    if os.geteuid() != 0:
        raise Unavailable("Slurm is not installed, and only root may install it")
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for arguments in (["update"], ["install", "--yes", "--no-install-recommends", *PACKAGES]):
        done = subprocess.run(["apt-get", "--quiet", *arguments], env=environment, capture_output=True, text=True)
        if done.returncode != 0:
            last = (done.stderr or done.stdout).strip().splitlines()[-1]
            raise Unavailable(f"apt-get {arguments[0]} failed: {last}")


def _find(program: str) -> str | None:
    return shutil.which(program, path=os.environ["PATH"] + ":/usr/sbin:/sbin")


class Cluster:
    """One node of Slurm on this machine; use it as a context manager."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.environment = {**os.environ, "SLURM_CONF": str(folder / "slurm.conf")}
        self._stack = ExitStack()

    def __enter__(self) -> "Cluster":
        for name in ("state", "spool"):
            (self.folder / name).mkdir()
        try:
            self._write_configuration()
            self._start_munge()
            self._start("slurmctld", "-D")
            self._start("slurmd", "-D", "-N", self._host)
            self._wait_until_idle()
        except BaseException:
            self._stack.close()
            raise
        return self

    def __exit__(self, *exception) -> None:
        self._stack.close()

    def run(self, *command: str, **options) -> subprocess.CompletedProcess:
        """Run a command that finds this cluster."""
        return subprocess.run(command, env=self.environment, text=True, **options)

    def use_kernels_of(self, checkout: Checkout) -> None:
        """Let jobs find the kernels that were compiled for this checkout."""
        self.environment |= checkout.environment(SLURM_CONF=self.environment["SLURM_CONF"])

    def _write_configuration(self) -> None:
        self._host = os.uname().nodename.split(".")[0]
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2**20
        text = SLURM_CONF.format(
            host=self._host,
            folder=self.folder,
            user=getpass.getuser(),
            cpus=os.cpu_count(),
            memory=memory * 9 // 10,
            ctld_port=CTLD_PORT,
            slurmd_port=SLURMD_PORT,
        )
        (self.folder / "slurm.conf").write_text(text)
        # Jobs lose SLURM_CONF on their way through the executor plugin: they look where all do.
        if os.geteuid() != 0:
            raise Unavailable(f"only root may write {SYSTEM_CONF}")
        if SYSTEM_CONF.exists() or SYSTEM_CONF.is_symlink():
            raise Unavailable(f"{SYSTEM_CONF} belongs to another Slurm")
        SYSTEM_CONF.parent.mkdir(parents=True, exist_ok=True)
        SYSTEM_CONF.symlink_to(self.folder / "slurm.conf")
        self._stack.callback(SYSTEM_CONF.unlink)

    def _start_munge(self) -> None:
        key = self.folder / "munge.key"
        key.write_bytes(os.urandom(1024))
        key.chmod(0o400)
        self.folder.chmod(0o755)
        self._start(
            "munged",
            "--foreground",
            "--force",
            f"--key-file={key}",
            f"--socket={self.folder}/munge.socket",
            f"--pid-file={self.folder}/munged.pid",
            f"--log-file={self.folder}/munged.log",
            f"--seed-file={self.folder}/munged.seed",
        )
        self._wait(lambda: (self.folder / "munge.socket").exists(), "munged")

    def _start(self, program: str, *arguments: str) -> None:
        """Start a daemon in the foreground of a session of its own, to be stopped at the end."""
        with open(self.folder / f"{program}.out", "w") as out:
            process = subprocess.Popen(
                [_find(program), *arguments], env=self.environment, stdout=out, stderr=out, start_new_session=True
            )
        self._stack.callback(_stop, process)

    def _wait_until_idle(self) -> None:
        def idle():
            done = self.run("sinfo", "--noheader", "--format=%T", capture_output=True)
            return done.returncode == 0 and done.stdout.split() == ["idle"]

        self._wait(idle, "slurmctld and slurmd")

    def _wait(self, ready, what: str) -> None:
        deadline = time.monotonic() + UP_WITHIN
        while not ready():
            if time.monotonic() > deadline:
                raise Unavailable(f"{what} did not start:\n{self._last_words()}")
            time.sleep(0.5)

    def _last_words(self) -> str:
        logs = sorted([*self.folder.glob("*.log"), *self.folder.glob("*.out")])
        parts = [f"{log.name}: {' | '.join(log.read_text().splitlines()[-3:])}" for log in logs]
        return "\n".join(parts)


def _stop(process: subprocess.Popen) -> None:
    """End a daemon and what it started."""
    for how in (signal.SIGTERM, signal.SIGKILL):
        with suppress(ProcessLookupError):
            os.killpg(process.pid, how)
        try:
            process.wait(DOWN_WITHIN)
            return
        except subprocess.TimeoutExpired:
            continue


def run_workflow(cluster: Cluster, folder: Path, config: str) -> float:
    """Run the workflow of a checkout on the cluster; return how long it took."""
    started = time.monotonic()
    snakemake = [sys.executable, "-m", "snakemake", "--profile", "profiles/slurm"]
    often = "--slurm-init-seconds-before-status-checks=2"
    here = ["--slurm-no-account", "--slurm-status-command=squeue", often, *GROUPS]
    with open(folder / "snakemake.out", "w") as out:
        done = cluster.run(
            *snakemake,
            *TARGETS,
            *here,
            "--latency-wait",
            "5",
            "--configfile",
            config,
            cwd=folder,
            stdout=out,
            stderr=subprocess.STDOUT,
        )
    if done.returncode != 0:
        logs = sorted((folder / "slurm-logs").rglob("*.log"), key=os.path.getmtime)
        parts = [folder / "snakemake.out", *logs[-1:]]
        sys.exit("\n".join(line for part in parts for line in part.read_text().splitlines()[-60:]))
    return time.monotonic() - started


def differing_columns(ours: Path, theirs: Path) -> list[str]:
    """Return the columns of two score tables that differ in a bit, but for the time taken."""
    one, other = (pd.read_csv(path, dtype=str) for path in (ours, theirs))
    if one.shape != other.shape or list(one.columns) != list(other.columns):
        return [f"shapes {one.shape} and {other.shape}"]
    return [name for name in one if name != "seconds" and not one[name].equals(other[name])]


def main(config: str = "tests/support/slurm.yaml", results: str = "results/slurm") -> None:
    """Run the workflow locally, unless it has been, and on Slurm; compare the scores."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("terminated"))  # daemons are stopped then too
    try:
        install()
        version = subprocess.run([_find("slurmd"), "-V"], capture_output=True, text=True)
        print(f"{version.stdout.strip()}, real daemons on the loopback interface", flush=True)
    except Unavailable as reason:
        print(f"Slurm was not tested: {reason}")
        return
    local = [sys.executable, "-m", "snakemake", *TARGETS, "--cores", "2", "--quiet", "all"]
    subprocess.run([*local, "--configfile", config], cwd=ROOT, check=True)
    with tempfile.TemporaryDirectory(prefix="nbmf-slurm-") as temporary:
        checkout = Checkout(Path(temporary) / "checkout")
        folder = checkout.folder
        (Path(temporary) / "slurm").mkdir()
        try:
            cluster = Cluster(Path(temporary) / "slurm")
            with cluster:
                cluster.use_kernels_of(checkout)
                seconds = run_workflow(cluster, folder, config)
        except Unavailable as reason:
            print(f"Slurm was not tested: {reason}")
            return
        jobs = (folder / "snakemake.out").read_text().count("has been submitted")
        for table in (f"lumbreras2020/tables/{name}.csv" for name in TABLES):
            differing = differing_columns(ROOT / results / table, folder / results / table)
            if differing:
                sys.exit(f"{table} of the Slurm run differs from the local run: {differing}")
            rows = len(pd.read_csv(folder / results / table))
            print(f"{table}: {rows} rows, equal to the local run bit for bit")
        print(f"{jobs} submissions, {seconds:.0f} s, {config}")


if __name__ == "__main__":
    main(*sys.argv[1:])
