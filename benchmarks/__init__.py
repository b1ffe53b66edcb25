"""What discreet costs, measured: `python -m benchmarks` prints the tables of benchmarks/README.md."""
