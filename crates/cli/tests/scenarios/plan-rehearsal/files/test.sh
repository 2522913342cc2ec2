test "$(sh greet.sh)" = Hello && echo PASSED || echo FAILED
