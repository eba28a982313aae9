#!/bin/sh
# node.sh ROUND: what this node does in one round of tasks.tsv: servers first, then clients, whose output goes to
# results/RUN.txt. The folder of this file is shared by all nodes, or copied to each.
#   FABRICGEN_HOST      what tasks.tsv calls this node   [default: as Slurm does, else hostname -s]
#   FABRICGEN_WAIT      seconds from servers to clients   [default: 2]
#   FABRICGEN_PERFTEST  more options of ib_write_bw, such as "-x 3" or "--use_cuda=0"
set -u
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
round=$1
me=${FABRICGEN_HOST:-${SLURMD_NODENAME:-$(hostname -s)}}
results=$here/results
mkdir -p "$results"

find_device() { # ADDRESS PORT: the RDMA device that has an address, else what devices.txt says of the port
  interface=$(ip -o addr show to "$1" 2> /dev/null | awk 'NR == 1 {print $2}')
  device=$(ls "/sys/class/net/$interface/device/infiniband" 2> /dev/null | head -n 1)
  [ -n "$device" ] || device=$(awk -v port="$2" '$1 == port {print $2; exit}' "$here/devices.txt")
  echo "$device"
}

list_tasks() { # ROLE: the tasks of this node in the round
  awk -F '\t' -v round="$round" -v me="$me" -v role="$1" '$1 == round && $2 == me && $3 == role' "$here/tasks.tsv"
}

write_bw() { # DEVICE TCP-PORT SECONDS OPTIONS [HOST]
  # shellcheck disable=SC2086 # options are words
  timeout $(($3 + 30)) ib_write_bw -d "$1" -p "$2" -D "$3" -F --report_gbits $4 ${FABRICGEN_PERFTEST:-} ${5:-} 2>&1
}

start() { # ROLE: all of its tasks at once; waits for those of clients
  list_tasks "$1" | {
    while read -r _ _ role run tool near port far host number seconds options; do
      case $tool-$role in
        ping-client)
          timeout $((seconds + 30)) ping -c $((seconds * 5)) -i 0.2 -I "$near" "$far" > "$results/$run.txt" 2>&1 & ;;
        traceroute-trace)
          # shellcheck disable=SC2086
          timeout 60 traceroute -n -q 1 -w 1 -U -p 4791 --sport="$number" $options -s "$near" "$far" \
            > "$results/$run.trace" 2>&1 & ;;
        ib_write_bw-server)
          write_bw "$(find_device "$near" "$port")" "$number" "$seconds" "$options" > "$results/$run.server" & ;;
        ib_write_bw-client)
          write_bw "$(find_device "$near" "$port")" "$number" "$seconds" "$options" "$host" > "$results/$run.txt" & ;;
      esac
    done
    [ "$1" = server ] || wait
  }
}

[ -n "$(list_tasks client)$(list_tasks server)" ] || exit 0
start server
start trace
sleep "${FABRICGEN_WAIT:-2}"
start client
