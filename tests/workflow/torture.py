"""Torture: runs that are killed, doubled, robbed and fed damaged files end with the same numbers.

    python -m tests.workflow.torture --minutes 15 --seed 1

Each round begins what `make` calls, for the tiny configuration and always in one folder, and does
one thing to it, drawn from the seed. No round may show a traceback or leave a folder in which the next
cannot go on. At the end a run goes through, and every number must be that of a run in peace.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from inverse_rational_control.storage.contract import differences, read
from tests.vocabulary.test_interruption import as_from_a_terminal

from .conftest import copy_project, environment
from .products import NUMBERS, TINY, contract_of, datasets

TARGETS = [str(TINY / name) for name in NUMBERS]
PATIENCE = 600.0


class Torture:
    """One folder in which runs of the tiny configuration suffer.

    Parameters
    ----------
    folder : Path
        A copy of the project.
    seed : int
        Of what is done, and when.
    patience : float
        Seconds that a run may take; one that takes longer hangs.
    """

    def __init__(self, folder: Path, seed: int, patience: float = PATIENCE):
        self.folder = folder
        self.patience = patience
        self.random = random.Random(seed)
        self.said: list[str] = []

    def begin(self, cores: int = 2) -> subprocess.Popen:
        """Begin a run, in a process group of its own."""
        return subprocess.Popen(
            [sys.executable, "workflow/run_here.py", "run", *TARGETS, "--cores", str(cores)],
            cwd=self.folder,
            env=environment() | {"CONFIG": "tiny.yaml"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
            preexec_fn=as_from_a_terminal,
        )

    def end(self, running: subprocess.Popen) -> str:
        """Wait for a run; what it said must hold no traceback."""
        try:
            said, _ = running.communicate(timeout=self.patience)
        except subprocess.TimeoutExpired:
            # Nobody else would end it and its jobs.
            os.killpg(running.pid, signal.SIGKILL)
            said, _ = running.communicate()
            raise AssertionError(
                f"a run did not end within {self.patience:.0f} s:\n{said[-6000:]}"
            ) from None
        self.said.append(said)
        assert "Traceback" not in said, said[-6000:]
        return said

    def products(self) -> list[Path]:
        """NetCDF files made so far, in order."""
        return sorted((self.folder / TINY).rglob("*.nc"))

    def kill(self) -> None:
        """Kill a run hard, with its jobs, at some moment."""
        self._stop(signal.SIGKILL)

    def interrupt(self) -> None:
        """Interrupt a run as Ctrl-C does."""
        self._stop(signal.SIGINT)

    def terminate(self) -> None:
        """Ask a run to end, as a machine that shuts down does."""
        self._stop(signal.SIGTERM)

    def _stop(self, by: signal.Signals) -> None:
        running = self.begin()
        with_patience = time.monotonic() + self.random.uniform(0.5, 25)
        while running.poll() is None and time.monotonic() < with_patience:
            time.sleep(0.1)
        if running.poll() is None:
            os.killpg(running.pid, by)
        self.end(running)

    def begin_twice(self) -> None:
        """Begin two runs at the same instant, or nearly: one of them does the work."""
        runs = [self.begin(1)]
        time.sleep(self.random.choice([0.0, 0.0, 0.3, 3.0]))
        runs.append(self.begin(1))
        said = [self.end(running) for running in runs]
        refused = [text for text in said if "still running in this folder" in text]
        assert len(refused) <= 1, said
        assert not any("--unlock" in text for text in said), said

    def lose(self) -> None:
        """Lose a file."""
        if self.products():
            self.random.choice(self.products()).unlink()

    def damage(self) -> None:
        """Change one bit, or cut a file short; whoever reads it must say so."""
        whole = [path for path in self.products() if path.stat().st_size]
        if not whole:
            return
        path = self.random.choice(whole)
        stat = path.stat()
        content = bytearray(path.read_bytes())
        if self.random.random() < 0.5:
            content[self.random.randrange(len(content))] ^= 1 << self.random.randrange(8)
        else:
            del content[self.random.randrange(len(content)) :]
        path.write_bytes(content)
        os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))

    def finish(self) -> None:
        """Run through; a file that is said to be damaged is deleted, as the message asks."""
        for _ in range(20):
            running = self.begin()
            said = self.end(running)
            named = set(re.findall(r"(results/tiny/\S+\.nc): ", said))
            if running.returncode == 0:
                return
            assert named, said[-6000:]
            for path in named:
                (self.folder / path).unlink(missing_ok=True)
        raise AssertionError("20 runs did not get through")

    def unread(self) -> list[Path]:
        """Damaged files that no job had to read again."""
        found = []
        for path in self.products():
            try:
                read(path, contract_of(path))
            except Exception:
                found.append(path)
        return found

    def suffer(self, seconds: float, say: Callable[[str], None]) -> int:
        """Do one thing after the other until the time is over; returns how many."""
        what = [self.kill, self.kill, self.interrupt, self.terminate]
        what += [self.begin_twice, self.lose, self.damage]
        until, rounds = time.monotonic() + seconds, 0
        while time.monotonic() < until:
            thing = self.random.choice(what)
            say(thing.__name__)
            thing()
            rounds += 1
        return rounds


def compare(peaceful: Path, folder: Path) -> None:
    """Every product equals, number by number, that of a run in peace."""
    left, right = datasets(peaceful / TINY), datasets(folder / TINY)
    assert left.keys() == right.keys()
    for name, path in left.items():
        contract = contract_of(path)
        assert differences(read(path, contract), read(right[name], contract)) == [], name
    assert not list(folder.rglob("*.part*"))


def torture(
    peaceful: Path,
    folder: Path,
    seconds: float,
    seed: int,
    say: Callable[[str], None] = print,
    patience: float = PATIENCE,
) -> int:
    """Torture runs in `folder`, a fresh copy of the project, then compare; returns the rounds."""
    victim = Torture(folder, seed, patience)
    rounds = victim.suffer(seconds, say)
    victim.finish()
    for path in victim.unread():
        path.unlink()
    victim.finish()
    compare(peaceful, folder)
    return rounds


def main() -> None:
    """Torture from the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=15.0)
    parser.add_argument("--seed", type=int, default=None)
    given = parser.parse_args()
    seed = random.randrange(10**6) if given.seed is None else given.seed
    print(f"seed {seed}", flush=True)
    with tempfile.TemporaryDirectory(prefix="torture-") as place:
        peaceful = copy_project(Path(place) / "peaceful")
        begun = time.monotonic()
        Torture(peaceful, 0, patience=6 * PATIENCE).finish()
        took = time.monotonic() - begun
        print(f"a run in peace takes {took:.0f} s", flush=True)
        folder = copy_project(Path(place) / "tortured")
        # Where others use the machine too, everything takes longer.
        patience = max(PATIENCE, 10 * took)
        rounds = torture(peaceful, folder, 60 * given.minutes, seed, say, patience)
    print(f"{rounds} rounds; every number is that of a run in peace")


def say(what: str) -> None:
    """Say what is done while it is done, also into a file."""
    print(time.strftime("%H:%M:%S"), what, flush=True)


if __name__ == "__main__":
    main()
