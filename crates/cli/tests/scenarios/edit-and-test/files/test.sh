cd "$(dirname "$0")"; [ "$(sh greet.sh)" = Hello ] && echo passed || { echo FAILED; exit 1; }
