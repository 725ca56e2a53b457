"""Run Snakemake in this folder, if no other run has it.

Usage: python workflow/run_here.py run|report|unlock [options of Snakemake]

The environment's CONFIG names configuration files: one, or several with spaces between them.
"""

import os
import signal
import subprocess
import sys
from pathlib import Path

from inverse_rational_control import interruption

# From now on; what follows is a second of imports.
interruption.end_in_one_line()

import psutil  # noqa: E402

from inverse_rational_control.config.loading import ConfigError, load_config  # noqa: E402
from inverse_rational_control.storage import claim  # noqa: E402

CONFIG = "config/config.yaml"


def config_files():
    """The files that CONFIG names; a path with spaces is one file if there is such a file."""
    given = os.environ.get("CONFIG", "").strip()
    whole = Path(given).expanduser()
    files = [whole] if whole.is_file() else [Path(part).expanduser() for part in given.split()]
    for file in files:
        if not file.is_file():
            sys.exit(f'CONFIG: found "{file}", which is no file: name a configuration file')
    return files


def running_here():
    """Process ids of Snakemake runs in this folder, other than our own family."""
    here = Path.cwd()
    family = {os.getpid(), *(parent.pid for parent in psutil.Process().parents())}
    found = []
    for process in psutil.process_iter():
        try:
            words = [Path(word).name for word in process.cmdline()[:3]]
            if process.pid not in family and "snakemake" in words and Path(process.cwd()) == here:
                found.append(process.pid)
        except (psutil.Error, OSError):
            continue
    return found


def with_writable_cache():
    """Our environment; Snakemake and matplotlib keep caches at home, or here if home is read-only."""
    variables = dict(os.environ)
    for name, usual in (("XDG_CACHE_HOME", "~/.cache"), ("XDG_CONFIG_HOME", "~/.config")):
        try:
            folder = Path(variables.get(name) or usual).expanduser()
            folder.mkdir(parents=True, exist_ok=True)
            usable = os.access(folder, os.W_OK | os.X_OK)
        except (OSError, RuntimeError):  # No home at all is a RuntimeError.
            usable = False
        if not usable:
            variables[name] = str(Path(".snakemake/home").resolve() / name.lower())
    return variables


def snakemake(*options):
    """The command that runs Snakemake with the configuration that CONFIG names."""
    files = config_files()
    try:
        load_config(CONFIG, *files)
    except ConfigError as error:  # Snakemake's own are long.
        sys.exit(f"configuration: {error}")
    given = ["--configfile", *map(str, files)] if files else []
    return [sys.executable, __file__, "snakemake", *options, *given]


def be_snakemake(options):
    """Be Snakemake, which shows a traceback if it is interrupted before it runs jobs: say one line.

    Once it runs jobs it listens itself (`onstart` of the workflow).
    """
    sys.argv = ["snakemake", *options]
    # As with -m snakemake: the folder of this file is no place to import from.
    sys.path[0] = str(Path.cwd())
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])
    from snakemake.cli import main

    main()


def run(options):
    """Take the folder and become Snakemake, which gives the folder back when it ends."""
    here = Path.cwd()
    command, variables = snakemake(*options), with_writable_cache()
    try:
        after_a_dead_one = claim.claim(here)
    except claim.InUse as error:
        sys.exit(str(error))
    if claim.locks(here):
        running = running_here()
        if running or not after_a_dead_one:
            claim.release(here)
            sys.exit(
                f"A run is still running in this folder (process {running[0]}): wait for it"
                if running
                else "This folder is locked by a run that left no record of itself: if it runs on "
                "no machine any more, `make unlock` frees the folder"
            )
        print("==> Removing the lock that an interrupted run left", flush=True)
        claim.remove_locks(here)
    # An interpreter that starts shows a traceback: an interrupt waits until it listens.
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    os.execve(command[0], command, variables)


def report(options):
    """Write the report of a configuration, by its name if no other is given (REPORT)."""
    names = [file.stem for file in config_files() if file != Path(CONFIG)]
    path = os.environ.get("REPORT") or f"results/{'-'.join(['report', *names])}.html"
    print(f"==> Writing the report {path}", flush=True)
    command = snakemake("made", "--report", path, "--cores", "1", *options)
    sys.exit(subprocess.run(command, env=with_writable_cache()).returncode)


def unlock(options):
    """Free a folder whose run certainly is no more, as the user says; never a run that is seen."""
    running = running_here()
    if running:
        sys.exit(f"A run is still running in this folder (process {running[0]}): wait for it")
    claim.remove_locks(Path.cwd())
    (Path.cwd() / claim.RECORD).unlink(missing_ok=True)
    print("==> The folder is free")


if __name__ == "__main__":
    commands = {"run": run, "report": report, "unlock": unlock, "snakemake": be_snakemake}
    commands[sys.argv[1]](sys.argv[2:])
