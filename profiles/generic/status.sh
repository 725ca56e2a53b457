#!/usr/bin/env bash
# State of one SGE job for Snakemake: running, success or failed.
if qstat -j "$1" >/dev/null 2>&1; then
  echo running
else
  # Its record of what ended comes some seconds late; until then the job counts as running.
  found=$(qacct -j "$1" 2>/dev/null | awk '/^failed/ {f=$2} /^exit_status/ {e=$2} END {print f "-" e}')
  case "$found" in "0-0") echo success ;; "-") echo running ;; *) echo failed ;; esac
fi
