"""What the kernels call suppression schemes and losses: plain numbers, so that naming them loads no compiler."""

NO_SUPPRESSION, VIOLATING_VALUES, ALL_VALUES, VIOLATING_RECORDS, ALL_RECORDS = range(5)
LOSS_METRIC, DISCERNIBILITY, CLASSIFICATION = range(3)
