#!/bin/sh
# shell.sh [FIRST [LAST]]: the rounds by ssh from one machine, which has this folder at the same place as the nodes.
set -u
here=
. "$(dirname -- "$0")/rounds.sh"
round=$first
while [ "$round" -le "$last" ]; do
  echo "round $round of $last" >&2
  for host in $(list_hosts "$round"); do
    ssh -n -o BatchMode=yes "$host" "FABRICGEN_HOST=$host sh '$here/node.sh' $round" &
  done
  wait
  list_collectives "$round" | while read -r run _; do
    echo "$run is not done: ranks on several nodes need Slurm or MPI" >&2
  done
  round=$((round + 1))
done
