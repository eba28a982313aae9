#!/bin/sh
# mpi.sh [FIRST [LAST]]: the rounds by mpirun of Open MPI, from a folder that all nodes of hosts.txt share.
#   FABRICGEN_MPI  more options of mpirun, such as "-x NCCL_IB_HCA=mlx5 --mca btl_tcp_if_include eth0"
set -u
here=
. "$(dirname -- "$0")/rounds.sh"
round=$first
while [ "$round" -le "$last" ]; do
  echo "round $round of $last" >&2
  # shellcheck disable=SC2086
  mpirun --hostfile "$here/hosts.txt" --map-by ppr:1:node ${FABRICGEN_MPI:-} sh "$here/node.sh" "$round"
  list_collectives "$round" | {
    while read -r run ranks each hosts; do
      at=$(echo "$hosts" | sed "s/,/:$each,/g"):$each
      # shellcheck disable=SC2086
      mpirun --host "$at" -np "$ranks" --map-by "ppr:$each:node" ${FABRICGEN_MPI:-} \
        all_reduce_perf -b 8G -e 8G -g 1 < /dev/null > "$here/results/$run.txt" 2>&1 &
    done
    wait
  }
  round=$((round + 1))
done
