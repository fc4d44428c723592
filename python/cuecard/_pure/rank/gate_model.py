"""The gate's coefficients and tables, from the file that `tools/gate/train.py` writes (SPEC 28.2)."""

from ...basics.tables import read_numbers, read_rows

(BIAS,) = read_numbers("gate", "bias")
KNOTS = read_rows("gate", "knots")
SLOPES = read_rows("gate", "slopes")
(PRECISE,) = read_numbers("gate", "precise")
(BALANCED,) = read_numbers("gate", "balanced")
(EAGER,) = read_numbers("gate", "eager")
(SIGMOID_STEP,) = read_numbers("gate", "sigmoid_step")
SIGMOID = read_numbers("gate", "sigmoid")
LOGARITHMS = read_numbers("gate", "logarithms")
