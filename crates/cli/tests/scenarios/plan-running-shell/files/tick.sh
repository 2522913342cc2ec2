while :; do echo x >> ticks; sleep 0.05; done
