//! The gate's coefficients and tables. Written by `tools/gate/train.py`; do not edit.

/// The logit of a memory whose features are all 0, in 1/1024.
pub(crate) const BIAS: i64 = -3122;

/// Where what each of the features adds bends, in 1/1024.
#[rustfmt::skip]
pub(crate) const KNOTS: [[i64; 2]; 12] = [[31, 172], [-3, 66], [1420, 2455], [0, 710], [0, 138], [618, 843], [1024, 1024], [1648, 1835], [1024, 1024], [1024, 1024], [1024, 1024], [1024, 1024]];

/// How steep that is, everywhere and more from each knot on, in 1/1024.
#[rustfmt::skip]
pub(crate) const SLOPES: [[i64; 3]; 12] = [[3161, 1814, -1097], [1742, 2149, -243], [-298, -220, 295], [-114, -114, 2681], [1600, 1600, -2320], [-1041, -4379, 6502], [-658, 0, 0], [624, -1455, 104], [821, 0, 0], [1311, 0, 0], [-1264, 0, 0], [-2322, 0, 0]];

/// The logit from which `precise` shows a memory, in 1/1024.
pub(crate) const PRECISE: i64 = 143;

/// The logit from which `balanced` shows a memory, in 1/1024.
pub(crate) const BALANCED: i64 = -769;

/// The logit from which `eager` shows a memory, in 1/1024.
pub(crate) const EAGER: i64 = -2363;

/// How far apart the entries of the next table are, in 1/1024.
pub(crate) const SIGMOID_STEP: i64 = 128;

/// 1 / (1 + e^-x) in 1/1024, from x = 0 on.
#[rustfmt::skip]
pub(crate) const SIGMOID: [i64; 65] = [512, 544, 576, 607, 637, 667, 695, 723, 749, 773, 796, 817, 837, 856, 872, 888, 902, 915, 926, 937, 946, 955, 962, 969, 975, 981, 986, 990, 994, 997, 1000, 1003, 1006, 1008, 1010, 1011, 1013, 1014, 1015, 1016, 1017, 1018, 1019, 1019, 1020, 1020, 1021, 1021, 1021, 1022, 1022, 1022, 1022, 1023, 1023, 1023, 1023, 1023, 1023, 1023, 1023, 1024, 1024, 1024, 1024];

/// ln(1 + n) in 1/1024, from n = 0 on.
#[rustfmt::skip]
pub(crate) const LOGARITHMS: [i64; 51] = [0, 710, 1125, 1420, 1648, 1835, 1993, 2129, 2250, 2358, 2455, 2545, 2627, 2702, 2773, 2839, 2901, 2960, 3015, 3068, 3118, 3165, 3211, 3254, 3296, 3336, 3375, 3412, 3448, 3483, 3516, 3549, 3580, 3611, 3641, 3670, 3698, 3725, 3751, 3777, 3803, 3827, 3851, 3875, 3898, 3921, 3943, 3964, 3985, 4006, 4026];
