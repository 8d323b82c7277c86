/* Linear (small-strain) elasticity: W = mu |e|^2 + lambda/2 tr(e)^2 with e = (F + F^T)/2 - 1
   (Hooke's law). Any F is in the domain; not invariant under rotations, so for small
   rotations only. Energy, stress and the constant tangent are in the element kernel (phys/solid_eval.c). */
#include "phys/material.h"

static const brn_table table = {
    .name = "linear",
    .help = "small-strain linear elasticity; cheapest, wrong for rotations of more than a few degrees",
    .size = sizeof(brn_material_common),
    .params = brn_pair_params,
    .nparams = BRN_PAIR_PARAMS,
};

const brn_material brn_material_linear = {
    .table = &table,
    .equation = "W = mu |e|^2 + lambda/2 tr(e)^2,  e = (F + F^T)/2 - 1",
    .linear = true,
    .moduli = brn_pair_moduli,
};
