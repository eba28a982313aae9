# What the three ways to start have in common: which rounds, and what is done in each. Read by them, not run.
here=${here:-$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)}
first=${1:-1}
last=${2:-$(tail -n 1 "$here/rounds.csv" | cut -d , -f 1)}
mkdir -p "$here/results"

list_hosts() { # ROUND: the nodes that have a task in it
  awk -F '\t' -v round="$1" '$1 == round {print $2}' "$here/tasks.tsv" | sort -u
}

list_collectives() { # ROUND: RUN RANKS RANKS-OF-A-NODE HOST,HOST,... of each collective in it
  awk -F '\t' -v round="$1" '$1 == round {print $2, $3, $4, $5}' "$here/collectives.tsv"
}
