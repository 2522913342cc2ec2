#!/bin/sh
# Runs all pocket tests. Reports failures and exits with 1 if any test fails.
cd "$(dirname "$0")/.." || exit 1
failed=0

check() { # check NAME EXPECTED ACTUAL
    if [ "$2" = "$3" ]; then
        echo "ok      $1"
    else
        echo "FAILED  $1: expected '$2', got '$3'"
        failed=1
    fi
}

sum() { awk '{ total += $2 } END { printf "%.2f", total }'; }

check "an even bill is split evenly" "ada 10.00 ben 10.00 cid 10.00" \
    "$(sh bin/pocket 30.00 ada ben cid | tr '\n' ' ' | sed 's/ $//')"
check "the shares add up to the bill" "10.00" "$(sh bin/pocket 10.00 ada ben cid | sum)"
check "cents are not lost on a large bill" "1999.99" "$(sh bin/pocket 1999.99 ada ben cid dan eve fay gus | sum)"
check "a bill with no names is rejected" "pocket: name at least one person" "$(sh bin/pocket 10.00 2>&1)"

exit $failed
